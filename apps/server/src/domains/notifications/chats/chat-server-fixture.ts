/**
 * Slack, and workflows of Microsoft Teams, as far as we call them, on a free port of this machine. They
 * refuse wrong tokens and addresses, malformed messages and unknown people, with their own words.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChatName } from './chat.ts'

type Json = Record<string, unknown>

export interface ChatServer {
  /** Environment variables that point a Sallyport server here. */
  environment: Record<string, string>
  /** Settings that write to people and to the room, enabled. */
  settings: {
    slack: { SLACK_BOT_TOKEN: string; SLACK_WEBHOOK_URL: string } & Json
    teams: { TEAMS_PERSON_WEBHOOK_URL: string; TEAMS_WEBHOOK_URL: string } & Json
  }
  /** Mails of the company's people, with their ids in Slack. */
  people: Map<string, string>
  /** What arrived: for whom (a mail, an id of Slack or `room`), and the body. */
  messages: Record<ChatName, { to: string; body: Json }[]>
  /** Says, as Slack does, that an account has pressed a button: headers and body of its call. */
  press(account: string, value: string, at?: Date): { headers: Record<string, string>; body: string }
  /** Messages of Slack that were changed later: the chat and the time of the message, and the new body. */
  changes: { place: string; body: Json }[]
  /** What came to the address at which a call is answered. */
  answers: Json[]
  /** The service's answer instead. */
  failure: { status?: number; busy?: ChatName }
  close(): Promise<void>
}

const TOKEN = 'xoxb-Herring-1'
/** As the settings of the app show it. */
export const SIGNING_SECRET = '8f742231b10e8888abcd99yyyzzz85a5'
const ANSWERS = '/actions/T01/1/Plaice1'
const SLACK_HOOK = '/services/T01/B01/Mackerel1'
const FLOW = '/workflows/0123/triggers/manual/paths/invoke'
const SIGNATURES = { person: 'Sprat-1', room: 'Haddock-1' } as const
/** Bytes of one message of Teams. */
const MAX_TEAMS = 28 * 1024

const tsOf = (count: number) => `1700000000.${String(count).padStart(6, '0')}`

interface Answer {
  status: number
  body: string
  type: string
}
const json = (status: number, body: object): Answer => ({
  status,
  body: JSON.stringify(body),
  type: 'application/json',
})
const text = (status: number, body: string): Answer => ({ status, body, type: 'text/html' })

/** @param port any free one if 0 */
export async function startChatServer(port = 0): Promise<ChatServer> {
  const people: ChatServer['people'] = new Map()
  const messages: ChatServer['messages'] = { slack: [], teams: [] }
  const failure: ChatServer['failure'] = {}
  const answers: Json[] = []
  const changes: ChatServer['changes'] = []

  const slackApi = (method: string, query: URLSearchParams, body: Json, bearer: string): Answer => {
    if (failure.busy === 'slack') return json(429, { ok: false, error: 'ratelimited' })
    if (!bearer) return json(200, { ok: false, error: 'not_authed' })
    if (bearer !== TOKEN) return json(200, { ok: false, error: 'invalid_auth' })
    if (method === 'users.lookupByEmail') {
      const id = people.get(query.get('email') ?? '')
      return json(200, id ? { ok: true, user: { id, team_id: 'T01' } } : { ok: false, error: 'users_not_found' })
    }
    if (method === 'chat.postMessage') {
      const to = String(body.channel)
      if (![...people.values()].includes(to)) return json(200, { ok: false, error: 'channel_not_found' })
      const fault = faultOfBlocks(body)
      if (fault) return json(200, { ok: false, error: fault })
      messages.slack.push({ to, body })
      return json(200, {
        ok: true,
        channel: `D${to}`,
        ts: tsOf(messages.slack.length),
      })
    }
    if (method === 'chat.update') {
      const place = `${String(body.channel)}/${String(body.ts)}`
      // By the id of the chat, not by that of the person.
      if (!String(body.channel).startsWith('D')) return json(200, { ok: false, error: 'channel_not_found' })
      if (!messages.slack.some((_, at) => place.endsWith(`/${tsOf(at + 1)}`)))
        return json(200, { ok: false, error: 'message_not_found' })
      const fault = faultOfBlocks(body)
      if (fault) return json(200, { ok: false, error: fault })
      changes.push({ place, body })
      return json(200, { ok: true, channel: body.channel, ts: body.ts, text: body.text })
    }
    return json(200, { ok: false, error: 'unknown_method' })
  }

  const responded = (body: Json): Answer => {
    answers.push(body)
    return text(200, 'ok')
  }

  const slackHook = (path: string, body: Json): Answer => {
    if (failure.busy === 'slack') return text(429, 'rate_limited')
    if (path !== SLACK_HOOK) return text(404, 'no_service')
    if (faultOfBlocks(body)) return text(400, 'invalid_blocks')
    messages.slack.push({ to: 'room', body })
    return text(200, 'ok')
  }

  const teamsFlow = (query: URLSearchParams, body: Json, bytes: number): Answer => {
    if (failure.busy === 'teams') return json(429, { error: { code: 'TooManyRequests' } })
    const flow = Object.entries(SIGNATURES).find(([, signature]) => signature === query.get('sig'))?.[0]
    if (!flow) return json(401, { error: { code: 'SecurityTokenInvalid', message: 'the signature is wrong' } })
    if (bytes > MAX_TEAMS || faultOfCard(body)) return json(400, { error: { code: 'TriggerInputSchemaMismatch' } })
    messages.teams.push({ to: flow === 'room' ? 'room' : String(body.recipient), body })
    return { status: 202, body: '', type: 'text/plain' }
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://here.invalid')
    const raw = await bodyOf(request)
    const body = raw ? (JSON.parse(raw) as Json) : {}
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const [, method] = /^\/api\/([\w.]+)$/.exec(pathname) ?? []
    const answer = failure.status
      ? text(failure.status, 'broken')
      : pathname === ANSWERS
        ? responded(body)
        : method
          ? slackApi(method, searchParams, body, bearer)
          : pathname === FLOW
            ? teamsFlow(searchParams, body, Buffer.byteLength(raw))
            : slackHook(pathname, body)
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const flowOf = (who: keyof typeof SIGNATURES) => `${url}${FLOW}?api-version=1&sp=%2Ftriggers&sig=${SIGNATURES[who]}`

  return {
    environment: { SALLYPORT_SETTING_SLACK_API_URL: `${url}/api/` },
    settings: {
      slack: {
        SLACK_ENABLED: true,
        SLACK_BOT_TOKEN: TOKEN,
        SLACK_CHANNEL_ENABLED: true,
        SLACK_WEBHOOK_URL: `${url}${SLACK_HOOK}`,
      },
      teams: {
        TEAMS_ENABLED: true,
        TEAMS_PERSON_WEBHOOK_URL: flowOf('person'),
        TEAMS_CHANNEL_ENABLED: true,
        TEAMS_WEBHOOK_URL: flowOf('room'),
      },
    },
    people,
    messages,
    failure,
    changes,
    answers,
    press(account, value, at = new Date()) {
      const payload = {
        type: 'block_actions',
        user: { id: account, username: account.toLowerCase(), name: account.toLowerCase(), team_id: 'T01' },
        api_app_id: 'A01',
        // Each press has its own.
        trigger_id: randomUUID(),
        team: { id: 'T01', domain: 'harbour' },
        response_url: `${url}${ANSWERS}`,
        actions: [{ action_id: 'decide_good', block_id: 'b', value, type: 'button', action_ts: '1700000000.1' }],
      }
      const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
      const seconds = String(Math.floor(at.getTime() / 1000))
      const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${seconds}:${body}`).digest('hex')
      return {
        body,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-slack-request-timestamp': seconds,
          'x-slack-signature': `v0=${signature}`,
        },
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface SlackText {
  type?: string
  text?: string
}

/** What Slack would refuse in the blocks of a message; undefined: nothing. */
function faultOfBlocks(body: Json): string | undefined {
  if (typeof body.text !== 'string' || body.text === '') return 'no_text'
  const blocks = body.blocks as { type: string; text?: SlackText; elements?: { text?: SlackText }[] }[]
  if (!Array.isArray(blocks) || blocks.length > 50) return 'invalid_blocks'
  const fits = (one: SlackText | undefined, max: number) =>
    one?.type === 'plain_text' && one.text !== undefined && one.text.length >= 1 && one.text.length <= max
  const fine = blocks.every(({ type, text, elements }) =>
    type === 'header'
      ? fits(text, 150)
      : type === 'section'
        ? fits(text, 3000)
        : type === 'actions' && elements?.length && elements.every((one) => fits(one.text, 75)),
  )
  return fine ? undefined : 'invalid_blocks'
}

/** Whether a workflow could not post the message: it takes Adaptive Cards alone. */
function faultOfCard(body: Json): boolean {
  const [attachment] = (body.attachments ?? []) as { contentType?: string; content?: Json }[]
  const { type, version, body: parts } = attachment?.content ?? {}
  return !(
    body.type === 'message' &&
    attachment?.contentType === 'application/vnd.microsoft.card.adaptive' &&
    type === 'AdaptiveCard' &&
    version &&
    Array.isArray(parts)
  )
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let whole = ''
  for await (const piece of request) whole += piece
  return whole
}
