{{- define "ccm.pod" -}}
{{- if include "ccm.inCluster" . }}
serviceAccountName: {{ .Values.serviceAccount.name }}
{{- else }}
automountServiceAccountToken: false
{{- end }}
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}   # it is gone 10 s after SIGTERM at the latest
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .Values.hostNetwork }}
# It has to run before the network of Pods does{{ if eq .Values.provider "digitalocean" }}, and reaches the metadata service from here{{ end }}.
hostNetwork: true
{{- end }}
dnsPolicy: {{ .Values.dnsPolicy }}
{{- with .Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- if not (hasKey (.Values.podSecurityContext | default dict) "runAsNonRoot") }}
  runAsNonRoot: true
  {{- end }}
  {{- if not (hasKey (.Values.podSecurityContext | default dict) "runAsUser") }}
  runAsUser: {{ .Values.runAsUser }}
  {{- end }}
  {{- if not (hasKey (.Values.podSecurityContext | default dict) "fsGroup") }}
  fsGroup: {{ (.Values.podSecurityContext | default dict).runAsUser | default .Values.runAsUser }}
  {{- end }}
  {{- if not (hasKey (.Values.podSecurityContext | default dict) "seccompProfile") }}
  seccompProfile:
    type: RuntimeDefault
  {{- end }}
  {{- with .Values.podSecurityContext }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .Values.affinity }}
affinity:
  {{- toYaml .Values.affinity | nindent 2 }}
{{- else if and (eq .Values.kind "Deployment") .Values.hostNetwork }}
affinity:
  podAntiAffinity:
    # Both would want port {{ .Values.port }} of the same node.
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "ccm.selectorLabels" . | nindent 12 }}
{{- end }}
{{- if .Values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml .Values.topologySpreadConstraints | nindent 2 }}
{{- else if eq .Values.kind "Deployment" }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "ccm.selectorLabels" $ | nindent 8 }}
  {{- end }}
{{- end }}
{{- with .Values.initContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  {{- include "ccm.container" . | trim | nindent 2 }}
  {{- with .Values.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with include "ccm.volumes" . | trim }}
volumes:
  {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "ccm.container" -}}
{{- if has .Values.provider (list "aws" "digitalocean" "openstack") }}
# The container has the name that the cloud's own manifest gives it, and says its command: kubectl apply over that one
# changes it instead of adding a second container.
{{- end }}
- name: {{ include "ccm.name" . }}
  image: {{ include "ccm.image" . }}
  {{- if ne .Values.image.pullPolicy "IfNotPresent" }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  {{- end }}
  command: {{ toJson .Values.command }}
  args:
    {{- include "ccm.args" . | nindent 4 }}
  {{- with include "ccm.env" . | trim }}
  env:
    {{- . | nindent 4 }}
  {{- else }}
  {{- if eq $.Values.provider "openstack" }}
  # Provider IDs of new Nodes name the region:
  # env:
  #   - name: OS_CCM_REGIONAL
  #     value: "true"
  {{- end }}
  {{- end }}
  {{- with .Values.envFrom }}
  envFrom:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  ports:
    - name: https
      containerPort: {{ .Values.port }}
  livenessProbe:
    httpGet:
      path: /livez
      port: https
      scheme: HTTPS
    initialDelaySeconds: 15
    timeoutSeconds: 5   # clients without rights take turns, also during a flood
  readinessProbe:
    httpGet:
      path: /readyz
      port: https
      scheme: HTTPS
    timeoutSeconds: 5
  {{- with .Values.resources }}
  resources:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    allowPrivilegeEscalation: false
    {{- if not (hasKey (.Values.securityContext | default dict) "readOnlyRootFilesystem") }}
    readOnlyRootFilesystem: true
    {{- end }}
    {{- if not (hasKey (.Values.securityContext | default dict) "capabilities") }}
    capabilities:
      drop: [ALL]
    {{- end }}
    {{- with omit (.Values.securityContext | default dict) "allowPrivilegeEscalation" }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with include "ccm.volumeMounts" . | trim }}
  volumeMounts:
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "ccm.podMetadata" -}}
labels:
  {{- mergeOverwrite (include "ccm.recommendedLabels" . | fromYaml) (.Values.podLabels | default dict) (include "ccm.selectorLabels" . | fromYaml) | toYaml | nindent 2 }}
{{- with .Values.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
