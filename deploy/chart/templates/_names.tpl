{{- define "ccm.name" -}}
{{- .Values.nameOverride | default (printf "%s-cloud-controller-manager" .Values.provider) | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "ccm.selectorLabels" -}}
{{- toYaml (.Values.selectorLabels | default (dict "app" (include "ccm.name" .))) -}}
{{- end -}}

{{- define "ccm.labels" -}}
{{- include "ccm.selectorLabels" . }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "ccm.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- /* Whether the manager works for the cluster that its Pods are in. */ -}}
{{- define "ccm.inCluster" -}}
{{- if not (or .Values.kubeconfig.secret .Values.kubeconfig.hostPath) }}true{{ end -}}
{{- end -}}
