{{- /* The value of --controllers; empty when those run that run by default. */ -}}
{{- define "ccm.controllers" -}}
{{- $offByDefault := list "node-ipam-controller" -}}
{{- $onByDefault := list "cloud-node-controller" "cloud-node-lifecycle-controller" "service-lb-controller" "node-route-controller" -}}
{{- $changes := list -}}
{{- range $name, $on := .Values.controllers -}}
{{- if and $on (not (has $name $onByDefault)) -}}
{{- $changes = append $changes $name -}}
{{- else if and (not $on) (not (has $name $offByDefault)) -}}
{{- $changes = append $changes (printf "-%s" $name) -}}
{{- end -}}
{{- end -}}
{{- if $changes -}}{{ join "," (prepend $changes "*") }}{{- end -}}
{{- end -}}

{{- define "ccm.args" -}}
- --cloud-provider={{ .Values.provider }}
{{- with include "ccm.controllers" . }}
- --controllers={{ . }}
{{- end }}
{{- if or (include "ccm.cloudConfigSecret" .) .Values.cloudConfig.configMap .Values.cloudConfig.hostPath }}
- --cloud-config=/etc/config/{{ .Values.cloudConfig.key }}
{{- end }}
{{- if eq (include "ccm.inCluster" .) "" }}
- --kubeconfig=/etc/kubeconfig/{{ .Values.kubeconfig.key }}
# The endpoint asks that cluster, too, about its callers.
- --authentication-kubeconfig=/etc/kubeconfig/{{ .Values.kubeconfig.key }}
- --authorization-kubeconfig=/etc/kubeconfig/{{ .Values.kubeconfig.key }}
{{- end }}
{{- if .Values.servingCertificate.secret }}
- --tls-cert-file=/etc/serving-certificate/tls.crt
- --tls-private-key-file=/etc/serving-certificate/tls.key
{{- end }}
{{- with .Values.pluginImages }}
- --plugin-path={{ $.Values.pluginFolder }}{{ range . }},/plugins/{{ .name }}{{ with .folder }}/{{ . }}{{ end }}{{ end }}
{{- end }}
- --leader-elect={{ .Values.leaderElection.enabled }}
{{- with .Values.leaderElection }}
{{- if and .enabled (ne .name "cloud-controller-manager") }}
- --leader-elect-resource-name={{ .name }}
{{- end }}
{{- if and .enabled (ne .namespace "kube-system") }}
- --leader-elect-resource-namespace={{ .namespace }}
{{- end }}
{{- end }}
{{- if ne (int .Values.port) 10258 }}
- --secure-port={{ .Values.port }}
{{- end }}
{{- with .Values.clusterName }}
# Load balancers have it in their names or marks: what an earlier manager was given.
- --cluster-name={{ . }}
{{- end }}
{{- if index .Values.controllers "node-ipam-controller" }}
- --allocate-node-cidrs=true
{{- end }}
{{- if .Values.clusterCIDR }}
- --cluster-cidr={{ .Values.clusterCIDR }}
{{- else if and (eq .Values.provider "openstack") .Values.configureCloudRoutes }}
# With [Route] router-id in cloud.conf the range of the Pods as well:
# - --cluster-cidr=10.244.0.0/16
{{- end }}
{{- if not .Values.configureCloudRoutes }}
- --configure-cloud-routes=false
{{- end }}
{{- if .Values.useServiceAccountCredentials }}
- --use-service-account-credentials
{{- end }}
{{- range .Values.args }}
- {{ . | quote }}
{{- end }}
{{- end -}}
