import { setImmediate } from 'node:timers/promises'
import {
  APPLICATION_TYPES,
  type ApplicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
import type { CommandTrial, TriedPart } from '@sallyport/contract/resources/assets/command-trial.ts'
import type { Target } from '@sallyport/contract/target.ts'
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { commandReviewers, MAX_CONFIRMED } from '../../domains/acls/index.ts'
import { applicationsListedApplication } from '../../domains/applications/index.ts'
import { commandRulesFor } from '../../domains/command-filters/index.ts'
import { belongsTo } from '../../domains/users/index.ts'
import { type Call, isRoot } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { wordsOf } from '../session/notice.ts'
import { unitsOf } from './ask-guard.ts'
import { denialOf, NOT_SEEN_WHOLE } from './denial.ts'
import { type JudgedPart, judge, strictest } from './judgement.ts'
import { RuleSet } from './rule-set.ts'
import type { Unresolved } from './shell/words.ts'
import { isForShell } from './shell-protocols.ts'

const body = z.object({
  user: z.guid().nullish(),
  system_user: z.guid().nullish(),
  asset: z.guid().nullish(),
  application: z.guid().nullish(),
  command: z.string().min(1).max(MAX_CONFIRMED),
})
type Trial = z.infer<typeof body>

/** See `ClientWire.readAs`. */
type Readings = (protocol: string, text: string) => readonly string[] | undefined

const TOO_SLOW = 'A rule took too long on this: it is denied'
/** So many parts of a command are named. */
const MAX_LISTED = 5

/**
 * POST cmd-filters/try/: which rule decides about a command that somebody would run somewhere, as
 * the guard of a session judges it. Nothing is sent, asked or stored. `readingsOf`: what a database may read a
 * statement as.
 */
export function registerCommandTrial(kernel: Kernel, readingsOf: Readings): void {
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/assets/cmd-filters/try/',
    config: { access: ['org_admin'], summary: 'Which rule decides about a command', takes: body },
    handler: async (request): Promise<CommandTrial> => {
      const trial = body.parse(request.body ?? {})
      const protocol = await protocolOf(kernel.db, request.call, trial)
      const { user, system_user, command } = trial
      const rules = await commandRulesFor(kernel.db, {
        userId: user ?? undefined,
        systemUserId: system_user ?? undefined,
        target: targetOf(trial),
      })
      const { language } = request.call
      const set = new RuleSet(rules)
      const { parts: commands, unresolved, ...whole } = judge(set, command, isForShell(protocol))
      const { texts, isCut } = unitsOf(command, readingsOf(protocol, command), false)
      if (isCut && !set.isEmpty) return notSeenWhole(command, language)
      const readings = whole.isTooSlow ? [] : await judgedReadings(set, texts.slice(1))
      const judgement = strictest(set, [whole, ...readings])
      const parts = [...commands, ...readings.filter(({ rule }) => rule)]
      const asks = judgement.action === 'confirm' && judgement.rule
      const asked = asks ? await commandReviewers(kernel.db, asks.id, [user ?? null]) : undefined
      return {
        ...partOf(
          { ...judgement, text: command, source: command },
          judgement.isTooSlow
            ? translate(language, TOO_SLOW)
            : judgement.isTooMuch
              ? wordsOf(denialOf(judgement, undefined), language)
              : obscure(unresolved, set, language),
        ),
        reviewers: (asked?.reviewers ?? []).map(({ display }) => display),
        parts: parts.map((part) => partOf(part, part.isTooSlow ? translate(language, TOO_SLOW) : '')),
      }
    },
  })
}

/** Up to the first that takes too long, since that denies it all. Others have their turn in between. */
async function judgedReadings(set: RuleSet, texts: readonly string[]): Promise<JudgedPart[]> {
  const readings: JudgedPart[] = []
  for (const text of texts) {
    const reading = { ...judge(set, text, false), text, source: text }
    readings.push(reading)
    if (reading.isTooSlow) break
    await setImmediate()
  }
  return readings
}

/** A session runs nothing that has more readings than are looked at. */
const notSeenWhole = (command: string, language: Language): CommandTrial => ({
  ...partOf({ text: command, source: command, action: 'deny', match: '' }, wordsOf(NOT_SEEN_WHOLE, language)),
  reviewers: [],
  parts: [],
})

function partOf({ text, source, action, rule, match }: JudgedPart, reason: string): TriedPart {
  return {
    text,
    source,
    action,
    rule: rule
      ? {
          id: rule.id,
          filter: rule.filter,
          filter_name: rule.filter_name,
          action: rule.action,
          priority: rule.priority,
        }
      : null,
    match,
    reason,
  }
}

/** Says what only the machine knows, and what that means. */
function obscure(unresolved: readonly Unresolved[], set: RuleSet, language: Language): string {
  if (!unresolved.length) return ''
  const unknown = [...new Set(unresolved.map(({ text, why }) => text || why))].slice(0, MAX_LISTED).join(', ')
  if (set.isAllowList)
    return translate(language, 'Not known before it runs, which a list of what is allowed denies: {{unknown}}', {
      unknown,
    })
  return translate(language, 'Not known before it runs, so no rule can be about it: {{unknown}}', { unknown })
}

function targetOf({ asset, application }: Trial): Target | undefined {
  if (asset) return { family: 'asset', id: asset }
  return application ? { family: 'application', id: application } : undefined
}

interface Found extends Record<'user' | 'asset', boolean> {
  /** Protocol of the system user, type of the application; null where it is not found. */
  system_user: string | null
  application: ApplicationType | null
}

/**
 * By which the command would be sent. Throws 400 by field for what is not of the caller's
 * organization; in root, for what there is not.
 */
async function protocolOf(db: Database, call: Call, trial: Trial): Promise<string> {
  const { user, system_user, asset, application } = trial
  if (asset && application) throw invalid({ application: 'Choose an asset or an application, not both' })
  const org = isRoot(call) ? null : call.org.id
  const { rows } = await db.execute<Found & Record<string, unknown>>(sql`SELECT
    EXISTS (SELECT 1 FROM users_account u WHERE u.id = ${user ?? null}::uuid AND ${belongsTo(org)}) AS user,
    (SELECT s.protocol FROM assets_listed_system_user s WHERE s.id = ${system_user ?? null}::uuid
      AND (${org}::uuid IS NULL OR s.org_id = ${org}::uuid)) AS system_user,
    EXISTS (SELECT 1 FROM assets_listed_asset a WHERE a.id = ${asset ?? null}::uuid
      AND (${org}::uuid IS NULL OR a.org_id = ${org}::uuid)) AS asset,
    (SELECT a.type FROM ${applicationsListedApplication} a WHERE a.id = ${application ?? null}::uuid
      AND (${org}::uuid IS NULL OR a.org_id = ${org}::uuid)) AS application`)
  const [found] = rows
  const unknown = Object.entries({ user, system_user, asset, application }).filter(
    ([name, id]) => id && !found?.[name as keyof Found],
  )
  if (unknown.length) throw invalid(Object.fromEntries(unknown.map(([name]) => [name, 'Not found.'])))
  if (found?.system_user) return found.system_user
  return found?.application ? APPLICATION_TYPES[found.application].protocol : 'ssh'
}
