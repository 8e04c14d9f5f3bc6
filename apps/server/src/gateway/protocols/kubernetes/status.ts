/** Reasons of Kubernetes (https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#StatusReason), by the code of HTTP. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** An error as clients of Kubernetes read it: they show the words. */
export function statusOf(code: number, message: string): string {
  return JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: REASONS[code] ?? 'InternalError',
    code,
  })
}

/** The words of a Status; undefined for anything else. */
export function messageOf(body: string): string | undefined {
  try {
    const { kind, message } = JSON.parse(body) as { kind?: unknown; message?: unknown }
    return kind === 'Status' && typeof message === 'string' ? message : undefined
  } catch {
    return undefined
  }
}
