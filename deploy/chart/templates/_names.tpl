{{- /* Without a provider nothing is installed, but helm lint looks at the names. */ -}}
{{- define "ccm.name" -}}
{{- .Values.nameOverride | default (printf "%s-cloud-controller-manager" .Values.provider | trimPrefix "-") | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- /* Providers whose rights and demands the chart has. */ -}}
{{- define "ccm.knownProviders" -}}aws digitalocean openstack static sandbox{{- end -}}

{{- define "ccm.selectorLabels" -}}
{{- toYaml (.Values.selectorLabels | default (dict "app" (include "ccm.name" .))) -}}
{{- end -}}

{{- /* Kubernetes' recommended ones, of what does not change from version to version. */ -}}
{{- define "ccm.recommendedLabels" -}}
{{- if .Values.recommendedLabels -}}
{{- $labels := dict "app.kubernetes.io/name" "cloud-controller-manager" "app.kubernetes.io/instance" .Release.Name "app.kubernetes.io/component" .Values.provider -}}
{{- range $key, $value := .Values.selectorLabels -}}{{- $_ := unset $labels $key -}}{{- end -}}
{{- with $labels -}}{{- toYaml . -}}{{- end -}}
{{- end }}
{{- end -}}

{{- /* Of objects other than Pods and what selects them; those of the values win. */ -}}
{{- define "ccm.objectLabels" -}}
{{- $labels := include "ccm.recommendedLabels" . | fromYaml -}}
{{- if .Values.recommendedLabels -}}
{{- /* A tag may be longer than a label, and end with another character; beside a digest it says nothing. */ -}}
{{- $version := .Values.image.tag | default .Chart.AppVersion | trunc 63 | trimAll "._-" -}}
{{- if and $version (not .Values.image.digest) -}}{{- $_ := set $labels "app.kubernetes.io/version" $version -}}{{- end -}}
{{- $_ := set $labels "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $_ := set $labels "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") -}}
{{- end -}}
{{- with mergeOverwrite $labels (.Values.labels | default dict) -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{- /* The members of metadata besides the name, of an object that no labels select. */ -}}
{{- define "ccm.metadataLabels" -}}
{{- include "ccm.metadataAnd" (list . dict) -}}
{{- end -}}

{{- /* ROOT ANNOTATIONS: the same, with annotations of its own. */ -}}
{{- define "ccm.metadataAnd" -}}
{{- with include "ccm.objectLabels" (index . 0) | trim }}
labels:
  {{- . | nindent 2 }}
{{- end }}
{{- include "ccm.annotationsAnd" . }}
{{- end -}}

{{- /* ROOT ANNOTATIONS: those of all objects, and these, which win; as a member of metadata, or nothing. */ -}}
{{- define "ccm.annotationsAnd" -}}
{{- with mergeOverwrite (deepCopy ((index . 0).Values.annotations | default dict)) (index . 1 | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* ROOT LABELS ANNOTATIONS: those of an object with the labels that select, which stay as they are. */ -}}
{{- define "ccm.selectedMetadata" -}}
{{- $root := index . 0 -}}
labels:
  {{- toYaml (mergeOverwrite (include "ccm.objectLabels" $root | fromYaml) (index . 1 | default dict) (include "ccm.selectorLabels" $root | fromYaml)) | nindent 2 }}
{{- include "ccm.annotationsAnd" (list $root (index . 2)) }}
{{- end -}}

{{- define "ccm.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- /* The Secrets of the cloud: those that are named, or those that the chart makes. */ -}}
{{- define "ccm.tokenSecret" -}}
{{- if .Values.digitalocean.token }}{{ include "ccm.name" . }}-token{{ else }}{{ .Values.digitalocean.secret }}{{ end -}}
{{- end -}}

{{- define "ccm.cloudConfigSecret" -}}
{{- if .Values.cloudConfig.contents }}{{ include "ccm.name" . }}-cloud-config{{ else }}{{ .Values.cloudConfig.secret }}{{ end -}}
{{- end -}}

{{- /* Whether the manager works for the cluster that its Pods are in. */ -}}
{{- define "ccm.inCluster" -}}
{{- if not (or .Values.kubeconfig.secret .Values.kubeconfig.hostPath) }}true{{ end -}}
{{- end -}}
