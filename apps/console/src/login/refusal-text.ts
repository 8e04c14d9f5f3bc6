import { ApiError, errorText } from '../lib/api.ts'

/** The words of a refusal for people: `msg` where there is one, since `error` is a code then. */
export function refusalText(error: unknown): string {
  const body =
    error instanceof ApiError && typeof error.body === 'object' ? (error.body as { msg?: string } | null) : undefined
  return body?.msg ?? errorText(error)
}
