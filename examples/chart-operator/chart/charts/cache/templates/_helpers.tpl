{{- define "cache.address" -}}
{{ .Release.Name }}-cache:11211
{{- end }}

{{- define "cache.labels" -}}
app.kubernetes.io/name: cache
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
