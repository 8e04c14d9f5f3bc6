import type { Socket } from 'node:net'
import type { InstallationLanguage } from '../i18n/language-of.ts'
import { translate } from '../i18n/translate.ts'

/** Status line, code and words for what the parser of HTTP has given up. */
const REFUSALS = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'timeout', 'The request took too long to arrive'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'too_large', 'The address or the headers are too long'],
} as const
const OTHERS = ['400 Bad Request', 'bad_request', 'This request cannot be read'] as const

/**
 * Refuses what never became a request, such as one with an address of more than 16 kB, in the shape
 * of every other refusal. Nobody is known yet who may have chosen a language.
 */
export function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Pick<Socket, 'destroyed' | 'writable' | 'write' | 'destroy'>,
  language: InstallationLanguage,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, code, words] = REFUSALS[error.code as keyof typeof REFUSALS] ?? OTHERS
  const body = JSON.stringify({ detail: translate(language === 'en' ? 'en' : 'cn', words), code })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close\r\n`
  if (socket.writable) socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  socket.destroy(error)
}
