import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { standardLanguage } from '../../../kernel/i18n/language-of.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { connectionRefusal } from '../../connectors/connection-refusal.ts'
import { RequestDenied, TooManyRequests } from '../../kinds/requests/request-session.ts'
import { BadRequest } from '../../protocols/kubernetes/read-request.ts'
import { statusOf } from '../../protocols/kubernetes/status.ts'
import { wordsOf } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { refusalWords } from '../clients/client-sign-in.ts'
import { hangUp } from '../connections/hang-up.ts'

/** Why a client does not get what it asks for. */
export interface Failure {
  code: number
  words: string
}

/** No credentials came with the request. */
export class NoCredentials extends Error {}

/** It was refused a moment ago, over another protocol. */
export class RefusedBefore extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.words)
    this.failure = failure
  }
}

/** Answer to a client about an error, in its person's language; a fault is logged. */
export function failureOf(
  kernel: Kernel,
  error: unknown,
  language: Person['language'] = standardLanguage(kernel.app),
): Failure {
  if (error instanceof NoCredentials)
    return { code: 401, words: 'Sign in with a connection token, or as person#application#account' }
  if (error instanceof RefusedBefore) return error.failure
  if (error instanceof BadRequest) return { code: 400, words: error.message }
  if (error instanceof TooManyRequests) return { code: 429, words: 'Too many requests at the same time' }
  if (error instanceof RequestDenied) return { code: 403, words: wordsOf(error.why, language) }
  // Clients show their people the words of a 403, and not those of a 401.
  if (error instanceof SessionRefusal) return { code: 403, words: refusalWords(error, language) }
  kernel.app.log.info({ err: error }, 'a client of Kubernetes')
  const refusal = connectionRefusal(error, { gateways: [] }, { language })
  return { code: 503, words: refusalWords(refusal, language) }
}

/** Answers with a Status; a client of which nothing more is read loses its connection. */
export function answerFailure(request: IncomingMessage, response: ServerResponse, { code, words }: Failure): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const isRead = request.complete
  response.writeHead(code, {
    'content-type': 'application/json',
    ...(code === 429 ? { 'retry-after': '1' } : {}),
    ...(isRead ? {} : { connection: 'close' }),
  })
  response.end(statusOf(code, words))
}

/** The same to a client that wanted to go on with another protocol. */
export function refuseUpgrade(socket: Duplex, { code, words }: Failure): void {
  const body = statusOf(code, words)
  hangUp(
    socket,
    [
      `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
