import type { FastifyRequest } from 'fastify'
import { callerOf } from '../../../kernel/access/call.ts'
import { recordOwnChange } from '../../../kernel/audit/own-change.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { notFound, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { notify } from '../../notifications/index.ts'
import { freshProof, requireFreshProof } from '../deciding/card-decision.ts'
import { accountOf, bindAccount, unbindAccount, waitingAccount } from './account.ts'

const OWN = '/api/v1/tickets/slack-account/'
const WAITING = '/api/v1/tickets/slack-bindings/:code/'
const access = ['authenticated'] as const

/**
 * A person binds the account in Slack that decides for them, behind a fresh proof, and unbinds it
 * (docs/rules/tickets.md#slack_decision).
 */
export function registerSlackBindings(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: OWN,
    config: {
      access,
      summary: 'The account in Slack that decides for me',
      answers: { fields: plainFields({ is_bound: 'boolean', slack_name: 'string' }) },
    },
    handler: async ({ call }) => {
      const account = await accountOf(kernel.db, callerOf(call).id)
      return { is_bound: account !== undefined, slack_name: account?.slack_name ?? '' }
    },
  })
  kernel.app.route({
    method: 'DELETE',
    url: OWN,
    config: { access, summary: 'Have no account in Slack decide for me any more' },
    handler: async (request, reply) => {
      await kernel.db.transaction(async (db) => {
        const account = await unbindAccount(db, callerOf(request.call).id)
        if (!account) throw notFound()
        await logBinding(kernel, db, request, { before: account.slack_name, after: '' })
      })
      return reply.status(204).send()
    },
  })
  kernel.app.route({
    method: 'GET',
    url: WAITING,
    config: { access, summary: 'An account in Slack that wants to decide for me' },
    handler: async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      const { slack_name } = await waitingOf(kernel, request)
      return { slack_name, proof: await freshProof.value.due(kernel, request) }
    },
  })
  kernel.app.route({
    method: 'POST',
    url: WAITING,
    config: { access, opensWayIn: true, summary: 'Bind an account in Slack that decides for me' },
    handler: async (request) => {
      await waitingOf(kernel, request)
      await requireFreshProof(kernel, request)
      const user = callerOf(request.call)
      const account = await kernel.db.transaction(async (db) => {
        const before = await accountOf(db, user.id)
        const bound = await bindAccount(db, codeOf(request), user.id)
        if (!bound) throw refused('slack_account_taken', 'This account in Slack decides for somebody else already')
        await logBinding(kernel, db, request, { before: before?.slack_name ?? '', after: bound.slack_name })
        return bound
      })
      inBackground(
        notify(kernel, [user.id], (say) => ({
          subject: say('An account in Slack now decides for you'),
          paragraphs: [
            say('{{name}} in Slack approves and rejects tickets in your name by the buttons of cards.', {
              name: account.slack_name,
            }),
            say('If it was not you, tell an administrator at once.'),
          ],
          link: { text: say('My profile'), path: '/ui/users/profile' },
        })),
      )
      return { is_bound: true, slack_name: account.slack_name }
    },
  })
}

const codeOf = (request: FastifyRequest) => (request.params as { code: string }).code

async function waitingOf(kernel: Kernel, request: FastifyRequest) {
  if (request.call.via !== 'session') throw refused('browser_only', 'Open this in a browser in which you are signed in')
  const account = await waitingAccount(kernel.db, codeOf(request), callerOf(request.call).id)
  if (!account) throw notFound()
  return account
}

const logBinding = (
  kernel: Kernel,
  db: Database,
  { call }: FastifyRequest,
  change: { before: string; after: string },
): Promise<void> =>
  recordOwnChange(kernel, db, call, [{ field: 'slack_account', label: 'Account in Slack', ...change }])
