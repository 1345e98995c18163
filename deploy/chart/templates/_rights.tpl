{{- /* The rules of the ClusterRole: the host's, and those of the plugins that run. files/rights.json has them as ccmctl rbac
prints them, files/accounts.json for useServiceAccountCredentials. */ -}}
{{- define "ccm.rules" -}}
{{- $rights := .Files.Get "files/rights.json" | fromJson -}}
{{- if .Values.useServiceAccountCredentials -}}
{{- $rights = (.Files.Get "files/accounts.json" | fromJson).program -}}
{{- end -}}
{{- $rules := concat $rights.host (index $rights .Values.provider | default list) -}}
{{- range include "ccm.running" . | fromJsonArray -}}
{{- $rules = concat $rules (index $rights . | default list) (index $rights (printf "%s/%s" $.Values.provider .) | default list) -}}
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

{{- /* The names of the controllers that run, as JSON: those of the values, and those that the provider's plugin brings, which run or
do not unless the values say otherwise. */ -}}
{{- define "ccm.running" -}}
{{- $known := .Files.Get "files/accounts.json" | fromJson -}}
{{- $running := list -}}
{{- range $name, $on := .Values.controllers -}}
{{- if $on -}}{{- $running = append $running $name -}}{{- end -}}
{{- end -}}
{{- range $name, $controller := index $known.providers .Values.provider | default dict -}}
{{- if and $controller.default (not (hasKey $.Values.controllers $name)) -}}{{- $running = append $running $name -}}{{- end -}}
{{- end -}}
{{- toJson $running -}}
{{- end -}}

{{- /* With useServiceAccountCredentials: the rules of each service account that a controller works under, as JSON. */ -}}
{{- define "ccm.accounts" -}}
{{- $known := .Files.Get "files/accounts.json" | fromJson -}}
{{- $controllers := merge (index $known.providers .Values.provider | default dict) $known.controllers -}}
{{- $accounts := dict -}}
{{- range include "ccm.running" . | fromJsonArray -}}
{{- with index $controllers . -}}
{{- $_ := set $accounts .account (concat (index $accounts .account | default list) .rules) -}}
{{- end -}}
{{- end -}}
{{- toJson $accounts -}}
{{- end -}}

{{- define "ccm.subject" -}}
- kind: ServiceAccount
  name: {{ .Values.serviceAccount.name }}
  namespace: {{ .Release.Namespace }}
{{- end -}}
