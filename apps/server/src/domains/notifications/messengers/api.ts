import { createHash } from 'node:crypto'
import { Agent, fetch } from 'undici'
import { awaitedLater } from '../../../kernel/background.ts'
import { judgedConnector } from '../../../kernel/outbound/judged-lookup.ts'
import { type Answer, type Api, type ApiCall, type App, type Messenger, MessengerError } from './messenger.ts'

/** Time for one call with its answer. */
const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 262_144
/** A token is not used in its last minute: it must not expire on the way. */
const SPARE_SECONDS = 60
/** A token is kept no longer than this, whatever the messenger says. */
const MAX_TOKEN_SECONDS = 7200
/** Tokens kept: of the three applications, and of those that were replaced by new settings. */
const MAX_TOKENS = 16

const agent = new Agent({ maxResponseSize: MAX_ANSWER_BYTES, connect: judgedConnector({ timeout: TIMEOUT_MS }) })

interface Token {
  value: Promise<string>
  endsAt: number
}
const tokens = new Map<string, Token>()

/**
 * Calls a messenger in the name of one application. Its token is kept in memory, and asked for once
 * however many calls wait for it.
 */
export function openApi(messenger: Messenger, app: App): Api {
  const key = createHash('sha256')
    .update(JSON.stringify([messenger.name, app.apiUrl, app.id, app.secret]))
    .digest('hex')

  const tokenNow = (): Promise<string> => {
    const kept = tokens.get(key)
    if (kept && kept.endsAt > Date.now()) return kept.value
    const token: Token = { value: Promise.resolve(''), endsAt: Number.POSITIVE_INFINITY }
    const fetched = async () => {
      const answer = await ask(messenger, app, messenger.tokenCall(app))
      const value = answer[messenger.tokenFields.token]
      if (typeof value !== 'string' || !value)
        throw new MessengerError('the answer holds no token', { isTemporary: false })
      const seconds = Math.min(Number(answer[messenger.tokenFields.seconds]) || 0, MAX_TOKEN_SECONDS)
      token.endsAt = Date.now() + (seconds - SPARE_SECONDS) * 1000
      return value
    }
    token.value = awaitedLater(fetched())
    tokens.delete(key)
    tokens.set(key, token)
    for (const oldest of tokens.keys()) if (tokens.size > MAX_TOKENS) tokens.delete(oldest)
    token.value.catch(() => forget(token))
    return token.value
  }
  const forget = (token: Token | undefined) => {
    if (tokens.get(key) === token) tokens.delete(key)
  }

  return {
    app,
    call: (call) => ask(messenger, app, call),
    async callAsApp(call) {
      const value = await tokenNow()
      const used = tokens.get(key)
      try {
        return await ask(messenger, app, call, value)
      } catch (error) {
        if (
          !(error instanceof MessengerError && error.code !== undefined && messenger.lapsedToken.includes(error.code))
        )
          throw error
        // Revoked early, by a change of the secret or by another program that asked for a token:
        // try once more with a new one.
        forget(used)
        return ask(messenger, app, call, await tokenNow())
      }
    },
  }
}

async function ask(
  messenger: Messenger,
  app: App,
  { path, query, body, method = 'POST' }: ApiCall,
  token?: string,
): Promise<Answer> {
  const carried = token === undefined ? {} : messenger.authorize(token)
  const url = `${app.apiUrl}${path}?${new URLSearchParams({ ...query, ...carried.query })}`
  const failed = (text: string, cause?: unknown) => new MessengerError(text, { isTemporary: true, cause })
  let status: number
  let answer: unknown
  try {
    const response = await fetch(url, {
      method: body ? method : 'GET',
      headers: { ...carried.headers, ...(body ? { 'content-type': 'application/json; charset=utf-8' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      // No redirects: they could lead to addresses that the operator did not name.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      dispatcher: agent,
    })
    status = response.status
    const text = await response.text()
    answer = status >= 500 ? undefined : JSON.parse(text)
  } catch (error) {
    throw failed('no answer', error)
  }
  if (typeof answer !== 'object' || answer === null) throw failed(`an answer with the status ${status}`)
  const fields = answer as Answer
  const code = Number(fields[messenger.errorFields.code] ?? (status === 200 ? 0 : Number.NaN))
  if (code === 0) return fields
  if (Number.isNaN(code)) throw failed(`an answer with the status ${status}`)
  const text = `${hide(String(fields[messenger.errorFields.text] ?? ''), [app.secret, token])} (${code})`
  throw new MessengerError(text, { code, isTemporary: status === 429 || messenger.busy.includes(code) })
}

/** A messenger's words as they may be shown and logged: without secrets. */
function hide(text: string, secrets: readonly (string | undefined)[]): string {
  let shown = text
  for (const secret of secrets) if (secret) shown = shown.replaceAll(secret, '…')
  return shown.slice(0, 300)
}
