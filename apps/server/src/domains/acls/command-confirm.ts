import { z } from 'zod'
import { invalid, refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { commandRulesFor } from '../command-filters/index.ts'
import { findSession, type StoredSession } from '../terminal/index.ts'
import { askForCommand, COMMAND_CONFIRM, commandReviewers, MAX_CONFIRMED } from './command-review.ts'
import { type FollowedConfirmation, followAddresses, registerConfirmationStatus } from './confirmation-status.ts'

const URL = '/api/v1/assets/cmd-filters/command-confirm/'

const CONFIRMATIONS: FollowedConfirmation = {
  type: COMMAND_CONFIRM,
  url: `${URL}:ticket_id/status/`,
  summaries: {
    GET: 'How far the confirmation of a command is',
    DELETE: 'Give up waiting for the confirmation of a command',
  },
}

const body = z.object({
  session_id: z.string().max(64),
  cmd_filter_rule_id: z.string().max(64),
  run_command: z.string().min(1).max(MAX_CONFIRMED),
})

/** What components ask before they run a command (docs/rules/assets.md#command_review). */
export function registerCommandConfirm(kernel: Kernel): void {
  kernel.app.route({
    method: 'POST',
    url: URL,
    config: { access: ['component'], summary: 'Ask the reviewers of a rule to confirm a command', takes: body },
    handler: async (request) => {
      const { session_id, cmd_filter_rule_id, run_command } = body.parse(request.body ?? {})
      const session = isUuid(session_id) ? await findSession(kernel.db, session_id) : undefined
      if (!session) throw invalid({ session_id: 'Not found.' })
      if (session.is_finished) throw invalid({ session_id: 'This session has ended' })
      const rule = (await appliesTo(kernel, session, cmd_filter_rule_id))
        ? await commandReviewers(kernel.db, cmd_filter_rule_id, [session.user_id])
        : undefined
      if (rule?.org_id !== session.org_id)
        throw invalid({ cmd_filter_rule_id: 'This rule asks nobody about commands of this session' })
      if (!rule.reviewers.length)
        throw refused('nobody_to_ask', 'Nobody is left who could confirm this command: it counts as denied')
      const applicant = { id: session.user_id, display: session.user }
      const ticket = await askForCommand(kernel, { session, applicant, text: run_command }, rule)
      return followAddresses(kernel, CONFIRMATIONS, ticket)
    },
  })
  registerConfirmationStatus(kernel, CONFIRMATIONS)
}

/** Whether the rule is about commands of that session. */
async function appliesTo({ db }: Kernel, session: StoredSession, rule: string): Promise<boolean> {
  const { user_id, asset_id, system_user_id, target_family: family } = session
  if (![rule, user_id, asset_id, system_user_id].every(isUuid)) return false
  const rules = await commandRulesFor(db, {
    userId: user_id,
    systemUserId: system_user_id,
    target: { family, id: asset_id },
  })
  return rules.some(({ id }) => id === rule)
}
