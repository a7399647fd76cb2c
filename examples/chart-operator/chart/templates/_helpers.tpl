{{- define "website.labels" -}}
app.kubernetes.io/name: website
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "website.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
