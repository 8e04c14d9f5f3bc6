{{- define "sallyport.labels" -}}
app.kubernetes.io/name: sallyport
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sallyport.secret" -}}
{{ .Values.existingSecret | default .Release.Name }}
{{- end }}
