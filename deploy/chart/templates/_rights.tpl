{{- /* The rules of the ClusterRole: the host's, and those of the plugins that run. files/rights.json has them as ccmctl rbac
prints them, files/accounts.json for useServiceAccountCredentials. */ -}}
{{- define "ccm.rules" -}}
{{- $rights := .Files.Get "files/rights.json" | fromJson -}}
{{- if .Values.useServiceAccountCredentials -}}
{{- $rights = (.Files.Get "files/accounts.json" | fromJson).program -}}
{{- end -}}
{{- $rules := concat $rights.host (index $rights .Values.provider | default list) -}}
{{- range $name, $on := .Values.controllers -}}
{{- if $on -}}{{- $rules = concat $rules (index $rights $name | default list) -}}{{- end -}}
{{- end -}}
{{- include "ccm.mergedRules" $rules }}
{{- with .Values.rbac.rules }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* A right that two rules of the list grant is granted once. */ -}}
{{- define "ccm.mergedRules" -}}
{{- $merged := dict -}}
{{- range $rule := . -}}
{{- $key := toJson (omit $rule "verbs") -}}
{{- $_ := set $merged $key (concat (index $merged $key | default list) $rule.verbs | uniq | sortAlpha) -}}
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
{{- end -}}

{{- /* With useServiceAccountCredentials: the rules of each service account that a controller works under, as JSON. Those that
the provider's plugin brings run unless they are switched off. */ -}}
{{- define "ccm.accounts" -}}
{{- $known := .Files.Get "files/accounts.json" | fromJson -}}
{{- $running := dict -}}
{{- range $name, $on := .Values.controllers -}}
{{- if and $on (hasKey $known.controllers $name) -}}{{- $_ := set $running $name (index $known.controllers $name) -}}{{- end -}}
{{- end -}}
{{- range $name, $controller := index $known.providers .Values.provider | default dict -}}
{{- if dig $name true $.Values.controllers -}}{{- $_ := set $running $name $controller -}}{{- end -}}
{{- end -}}
{{- $accounts := dict -}}
{{- range $running -}}
{{- $_ := set $accounts .account (concat (index $accounts .account | default list) .rules) -}}
{{- end -}}
{{- toJson $accounts -}}
{{- end -}}

{{- define "ccm.subject" -}}
- kind: ServiceAccount
  name: {{ .Values.serviceAccount.name }}
  namespace: {{ .Release.Namespace }}
{{- end -}}
