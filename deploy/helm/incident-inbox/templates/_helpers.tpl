{{- define "inbox.labels" -}}
app.kubernetes.io/name: incident-inbox
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "inbox.allLabels" -}}
{{ include "inbox.labels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The name of a part: of a release, and a word such as `web`. */}}
{{- define "inbox.name" -}}
{{ printf "%s-%s" .root.Release.Name .part | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{/* The path of the public address, without a slash at its end; empty at the root of a host. */}}
{{- define "inbox.path" -}}
{{ (urlParse .Values.baseUrl).path | trimSuffix "/" }}
{{- end -}}

{{- define "inbox.secretFiles" -}}
{{- range .Values.secret.keys -}}
- name: {{ . }}_FILE
  value: /run/secrets/incident-inbox/{{ . }}
{{ end }}
{{- end -}}

{{/* What all parts share: the public address, the ports, and every setting of the values. */}}
{{- define "inbox.settings" -}}
{{- $own := dict
    "INBOX_BASE_URL" .Values.baseUrl
    "INBOX_DATA_DIR" "/var/lib/incident-inbox"
    "INBOX_HOST" "0.0.0.0"
    "INBOX_PORT" "8080"
    "INBOX_TRUSTED_PROXIES" (ternary "1" "0" .Values.ingress.enabled)
    "INBOX_WEB_WORKERS" (toString .Values.web.processes) -}}
{{- if .Values.mailIn.enabled }}
{{- $_ := set $own "INBOX_MAIL_IN_PORT" "2525" }}
{{- $_ := set $own "INBOX_MAIL_IN_HOST" "0.0.0.0" }}
{{- if .Values.mailIn.domain }}{{ $_ := set $own "INBOX_MAIL_IN_DOMAIN" .Values.mailIn.domain }}{{ end }}
{{- end }}
{{- range $name, $value := merge (dict) .Values.settings $own -}}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{ end }}
{{- end -}}

{{/* The pod of a part. It takes: root, part, command, resources, port, grace. */}}
{{- define "inbox.pod" -}}
{{- $hasCertificate := and (eq .part "mail-in") .root.Values.mailIn.certificateSecretName -}}
{{- $isOwner := and (eq .part "migrate") .root.Values.migration.secretName -}}
metadata:
  labels:
    {{- include "inbox.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
  {{- with .root.Values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .grace }}
  securityContext: {{- toYaml .root.Values.podSecurityContext | nindent 4 }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- if eq .part "migrate" }}
  restartPolicy: Never
  {{- else }}
  topologySpreadConstraints:
    {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "inbox.labels" $.root | nindent 10 }}
          app.kubernetes.io/component: {{ $.part }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ .part }}
      image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: {{ toJson .command }}
      env:
        {{- include "inbox.settings" .root | trim | nindent 8 }}
        {{- include "inbox.secretFiles" .root | trim | nindent 8 }}
        {{- if $isOwner }}
        - name: INBOX_MIGRATION_DATABASE_URL_FILE
          value: /run/secrets/migration/INBOX_MIGRATION_DATABASE_URL
        {{- else if .root.Values.migration.address }}
        - name: INBOX_MIGRATION_DATABASE_URL
          value: {{ .root.Values.migration.address | quote }}
        {{- end }}
        {{- if and (ne .part "web") (ne .part "migrate") }}
        - name: INBOX_METRICS_PORT
          value: "9090"
        {{- end }}
        {{- if $hasCertificate }}
        - name: INBOX_MAIL_IN_CERTIFICATE
          value: /run/secrets/mail-in/tls.crt
        - name: INBOX_MAIL_IN_CERTIFICATE_KEY
          value: /run/secrets/mail-in/tls.key
        {{- end }}
      resources: {{- toYaml .resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      {{- if eq .part "web" }}
      ports:
        - {name: http, containerPort: 8080}
      startupProbe:
        httpGet: {path: {{ include "inbox.path" .root }}/healthz, port: http}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: {{ include "inbox.path" .root }}/healthz, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
      readinessProbe:
        httpGet: {path: {{ include "inbox.path" .root }}/readyz, port: http}
        periodSeconds: 5
        timeoutSeconds: 5
      lifecycle:
        preStop:
          exec: {command: [sleep, "5"]}
      {{- else if ne .part "migrate" }}
      ports:
        - {name: metrics, containerPort: 9090}
        {{- if eq .part "mail-in" }}
        - {name: smtp, containerPort: 2525}
        {{- end }}
      startupProbe:
        httpGet: {path: /healthz, port: metrics}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /healthz, port: metrics}
        periodSeconds: 10
        timeoutSeconds: 5
      {{- if eq .part "mail-in" }}
      readinessProbe:
        tcpSocket: {port: smtp}
        periodSeconds: 5
      {{- end }}
      {{- end }}
      volumeMounts:
        - {name: secrets, mountPath: /run/secrets/incident-inbox, readOnly: true}
        - {name: state, mountPath: /var/lib/incident-inbox}
        - {name: temporary, mountPath: /tmp}
        {{- if $isOwner }}
        - {name: migration, mountPath: /run/secrets/migration, readOnly: true}
        {{- end }}
        {{- if $hasCertificate }}
        - {name: mail-in, mountPath: /run/secrets/mail-in, readOnly: true}
        {{- end }}
  volumes:
    - name: secrets
      secret:
        secretName: {{ .root.Values.secret.name }}
        defaultMode: 0440
        items:
          {{- range .root.Values.secret.keys }}
          - {key: {{ . }}, path: {{ . }}}
          {{- end }}
    - {name: state, emptyDir: {sizeLimit: 64Mi}}
    - {name: temporary, emptyDir: {sizeLimit: 1Gi}}
    {{- if $isOwner }}
    - name: migration
      secret: {secretName: {{ .root.Values.migration.secretName }}, defaultMode: 0440}
    {{- end }}
    {{- if $hasCertificate }}
    - name: mail-in
      secret: {secretName: {{ .root.Values.mailIn.certificateSecretName }}, defaultMode: 0440}
    {{- end }}
{{- end -}}

{{/* The Deployment and the disruption budget of a part. It takes what the pod takes, and replicas; null leaves them to a scaler. */}}
{{- define "inbox.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "inbox.name" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "inbox.allLabels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
spec:
  {{- if not (kindIs "invalid" .replicas) }}
  replicas: {{ .replicas }}
  {{- end }}
  strategy:
    rollingUpdate: {maxUnavailable: 0, maxSurge: 1}
  selector:
    matchLabels:
      {{- include "inbox.labels" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .part }}
  template:
    {{- include "inbox.pod" . | nindent 4 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "inbox.name" . }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "inbox.allLabels" .root | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "inbox.labels" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .part }}
{{- end -}}
