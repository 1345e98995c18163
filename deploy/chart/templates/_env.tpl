{{- define "ccm.env" -}}
{{- if eq .Values.provider "digitalocean" }}
- name: DO_ACCESS_TOKEN_FILE
  value: /etc/digitalocean/{{ .Values.digitalocean.key }}
{{- include "ccm.variable" (list "REGION" .Values.digitalocean.region "nyc3") }}
{{- include "ccm.variable" (list "DO_CLUSTER_ID" .Values.digitalocean.clusterID "my-cluster") }}
{{- include "ccm.variable" (list "DO_CLUSTER_VPC_ID" .Values.digitalocean.vpcID "00000000-0000-0000-0000-000000000000") }}
# Services without the annotation do-loadbalancer-type get a load balancer of this type; without the variable
# REGIONAL_NETWORK.
{{- include "ccm.variable" (list "DEFAULT_LB_TYPE" .Values.digitalocean.loadBalancerType "REGIONAL") }}
# Without these two the cloud firewall is no longer managed and stays as it is.
{{- include "ccm.variable" (list "PUBLIC_ACCESS_FIREWALL_NAME" .Values.digitalocean.firewallName "my-cluster-public-access") }}
{{- include "ccm.variable" (list "PUBLIC_ACCESS_FIREWALL_TAGS" .Values.digitalocean.firewallTags "my-cluster-nodes") }}
{{- else if and (eq .Values.provider "openstack") .Values.openstack.regionalProviderIDs }}
- name: OS_CCM_REGIONAL
  value: "true"
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* NAME VALUE EXAMPLE: the variable, or as a comment when it has no value. */ -}}
{{- define "ccm.variable" -}}
{{- if index . 1 }}
- name: {{ index . 0 }}
  value: {{ index . 1 | quote }}
{{- else }}
# - name: {{ index . 0 }}
#   value: {{ index . 2 }}
{{- end }}
{{- end -}}
