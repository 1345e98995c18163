{{- /* The rules of the ClusterRole: the host's, and those of the plugins that run. files/rights.json has them as ccmctl rbac
prints them; a right that two of them need is granted once. */ -}}
{{- define "ccm.rules" -}}
{{- $rights := .Files.Get "files/rights.json" | fromJson -}}
{{- $plugins := list "host" .Values.provider -}}
{{- range $name, $on := .Values.controllers -}}
{{- if $on -}}{{- $plugins = append $plugins $name -}}{{- end -}}
{{- end -}}
{{- $merged := dict -}}
{{- range $plugin := $plugins -}}
{{- range $rule := (index $rights $plugin | default list) -}}
{{- $key := toJson (omit $rule "verbs") -}}
{{- $_ := set $merged $key (concat (index $merged $key | default list) $rule.verbs | uniq | sortAlpha) -}}
{{- end -}}
{{- end -}}
{{- range $key := keys $merged | sortAlpha }}
{{- $rule := fromJson $key }}
- apiGroups: {{ toJson $rule.apiGroups }}
  resources: {{ toJson $rule.resources }}
  {{- with $rule.resourceNames }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: {{ toJson (index $merged $key) }}
{{- end }}
{{- with .Values.rbac.rules }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "ccm.subject" -}}
- kind: ServiceAccount
  name: {{ .Values.serviceAccount.name }}
  namespace: {{ .Release.Namespace }}
{{- end -}}
