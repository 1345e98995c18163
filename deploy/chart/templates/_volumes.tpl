{{- define "ccm.volumeMounts" -}}
{{- if eq .Values.provider "digitalocean" }}
- name: token
  mountPath: /etc/digitalocean
  readOnly: true
{{- end }}
{{- if include "ccm.cloudConfigSecret" . }}
# Files that cloud.conf names, a CA for example, may be in the same Secret: /etc/config/ca.pem.
- name: cloud-config
  mountPath: /etc/config
  readOnly: true
{{- else if .Values.cloudConfig.configMap }}
- name: cloud-config
  mountPath: /etc/config
  readOnly: true
{{- else if .Values.cloudConfig.hostPath }}
- name: cloud-config
  mountPath: /etc/config/{{ .Values.cloudConfig.key }}
  readOnly: true
{{- end }}
{{- if .Values.kubeconfig.secret }}
- name: kubeconfig
  mountPath: /etc/kubeconfig
  readOnly: true
{{- else if .Values.kubeconfig.hostPath }}
- name: kubeconfig
  mountPath: /etc/kubeconfig/{{ .Values.kubeconfig.key }}
  readOnly: true
{{- end }}
{{- if .Values.servingCertificate.secret }}
- name: serving-certificate
  mountPath: /etc/serving-certificate
  readOnly: true
{{- end }}
{{- range .Values.pluginImages }}
- name: plugins-{{ .name }}
  mountPath: /plugins/{{ .name }}
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "ccm.volumes" -}}
{{- if eq .Values.provider "digitalocean" }}
- name: token
  {{- include "ccm.secretVolume" (include "ccm.tokenSecret" .) | nindent 2 }}
{{- end }}
{{- if include "ccm.cloudConfigSecret" . }}
- name: cloud-config
  {{- include "ccm.secretVolume" (include "ccm.cloudConfigSecret" .) | nindent 2 }}
{{- else if .Values.cloudConfig.configMap }}
- name: cloud-config
  configMap:
    name: {{ .Values.cloudConfig.configMap }}
{{- else if .Values.cloudConfig.hostPath }}
- name: cloud-config
  {{- include "ccm.fileVolume" .Values.cloudConfig.hostPath | nindent 2 }}
{{- end }}
{{- if .Values.kubeconfig.secret }}
- name: kubeconfig
  {{- include "ccm.secretVolume" .Values.kubeconfig.secret | nindent 2 }}
{{- else if .Values.kubeconfig.hostPath }}
- name: kubeconfig
  {{- include "ccm.fileVolume" .Values.kubeconfig.hostPath | nindent 2 }}
{{- end }}
{{- with .Values.servingCertificate.secret }}
- name: serving-certificate
  {{- include "ccm.secretVolume" . | nindent 2 }}
{{- end }}
{{- range .Values.pluginImages }}
- name: plugins-{{ .name }}
  image:
    reference: {{ .reference }}
    pullPolicy: {{ .pullPolicy | default "IfNotPresent" }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "ccm.secretVolume" -}}
secret:
  secretName: {{ . }}
  defaultMode: 288  # 0440, which readers of YAML 1.2 take for 440
{{- end -}}

{{- define "ccm.fileVolume" -}}
# The user of the container has to be able to read it.
hostPath:
  path: {{ . }}
  type: File
{{- end -}}
