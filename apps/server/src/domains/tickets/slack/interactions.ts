import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Call, CallUser } from '../../../kernel/access/call.ts'
import { inBackground } from '../../../kernel/background.ts'
import { AppError, notAuthenticated } from '../../../kernel/errors/app-error.ts'
import { standardLanguage } from '../../../kernel/i18n/language-of.ts'
import { type Language, type Say, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { answerInSlack } from '../../notifications/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { type DecisionLink, decisionLinkOfAnybody } from '../cards/decision-link.ts'
import { decideByLink } from '../deciding/card-decision.ts'
import type { ticketsTicket } from '../tables.ts'
import { accountOf, bindingPage, type SlackAccount } from './account.ts'
import { isOfSlack } from './signed-call.ts'

const MAX_BYTES = 65_536

/** The part of a call that says who pressed which button. */
interface Pressed {
  account: SlackAccount
  /** The value of the button. */
  code: string
  responseUrl: string
}

/**
 * POST /api/v1/tickets/slack/interactions/: Slack says, signed, that somebody has pressed a button of
 * a card. It decides for the person to whom that account is bound (docs/rules/tickets.md#slack_decision).
 */
export function registerSlackInteractions(kernel: Kernel, tickets: MountedResource<typeof ticketsTicket>): void {
  // In a scope of its own: the signature is that of the body as it came.
  kernel.app.register(async (scope) => {
    scope.removeContentTypeParser('application/x-www-form-urlencoded')
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    )
    scope.route({
      method: 'POST',
      url: '/api/v1/tickets/slack/interactions/',
      bodyLimit: MAX_BYTES,
      config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary: "Slack's call when a button is pressed" },
      handler: async (request, reply) => {
        const body = typeof request.body === 'string' ? request.body : ''
        if (!(await isOfSlack(kernel, request.headers, body))) throw notAuthenticated()
        const pressed = readPressed(body)
        // Slack waits three seconds for an answer, and shows what comes later at the other address.
        if (pressed) inBackground(answer(kernel, tickets, request, pressed))
        return reply.status(200).send()
      },
    })
  })
}

/** Undefined for what is no pressed button of a card of ours. */
function readPressed(body: string): Pressed | undefined {
  try {
    const sent = JSON.parse(new URLSearchParams(body).get('payload') ?? '') as {
      type?: string
      user?: { id?: string; username?: string; name?: string; team_id?: string }
      team?: { id?: string } | null
      actions?: { action_id?: string; value?: string }[]
      response_url?: string
    }
    const [action] = sent.actions ?? []
    const slack_id = sent.user?.id
    const team_id = sent.user?.team_id ?? sent.team?.id
    if (sent.type !== 'block_actions' || !action?.action_id?.startsWith('decide_')) return undefined
    if (!action.value || !slack_id || !team_id || !sent.response_url) return undefined
    const slack_name = String(sent.user?.username ?? sent.user?.name ?? slack_id).slice(0, 128)
    return { account: { team_id, slack_id, slack_name }, code: action.value, responseUrl: sent.response_url }
  } catch {
    return undefined
  }
}

async function answer(
  kernel: Kernel,
  tickets: MountedResource<typeof ticketsTicket>,
  request: FastifyRequest,
  { account, code, responseUrl }: Pressed,
): Promise<void> {
  const found = await decisionLinkOfAnybody(kernel.db, code)
  // The ticket says where it was decided: a code of another messenger's card is none of Slack's.
  const link = found?.place === 'slack' ? found : undefined
  const person = link && (await personOf(kernel, link.user_id))
  const language = person?.language ?? standardLanguage(kernel.app)
  const say: Say = (english, values) => translate(language, english, values)
  const tell = (text: string, isOver = false) =>
    answerInSlack(kernel, responseUrl, text, isOver).catch((error) =>
      kernel.app.log.warn({ err: error }, 'an answer did not reach Slack'),
    )
  if (!link || !person) return void (await tell(say('This button does not count any more')))
  const bound = await accountOf(kernel.db, person.user.id)
  if (!bound) {
    const url = `${settingsOf(kernel).get('SITE_URL')}${await bindingPage(kernel, person.user.id, account)}`
    return void (await tell(say('Bind this account to yourself first, within ten minutes: {{url}}', { url })))
  }
  if (bound.team_id !== account.team_id || bound.slack_id !== account.slack_id)
    return void (await tell(say('This card is for another person')))
  try {
    const { title } = (await decideByLink(kernel, tickets, contextOfPerson(kernel, request, person), link, code)) as {
      title: string
    }
    await tell(wordsOf(link, title, say), true)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await tell(say(error.message, error.values))
  }
}

const wordsOf = ({ decision }: DecisionLink, title: string, say: Say) =>
  decision === 'approved' ? say('You approved: {{title}}', { title }) : say('You rejected: {{title}}', { title })

interface Person {
  user: CallUser
  language: Language
}

/** Somebody who can still sign in. */
async function personOf(kernel: Kernel, id: string): Promise<Person | undefined> {
  const { rows } = await kernel.db.execute<CallUser & { language: Language | null } & Record<string, unknown>>(
    sql`SELECT id, name, username, role, language FROM users_person WHERE id = ${id} AND is_valid`,
  )
  const [found] = rows
  if (!found) return undefined
  const { language, ...user } = found
  return { user, language: language ?? standardLanguage(kernel.app) }
}

/** A call in the name of the person, from where Slack calls. */
function contextOfPerson(kernel: Kernel, request: FastifyRequest, { user, language }: Person) {
  const call: Call = {
    user,
    via: undefined,
    sessionId: undefined,
    org: { id: ROOT_ORG_ID, name: '' },
    orgRoles: [],
    language,
    timeZone: 'UTC',
    remoteAddress: request.call.remoteAddress,
  }
  return { kernel, db: kernel.db, call, parameters: {}, query: {} }
}
