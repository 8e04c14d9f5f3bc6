import { spoken } from '@sallyport/contract/names.ts'
import type { ExplainedStep } from '@sallyport/contract/resources/perms/explanation.ts'
import { inArray } from 'drizzle-orm'
import { targetReviewers } from '../../domains/acls/index.ts'
import { commandRulesFor } from '../../domains/command-filters/index.ts'
import { usersAccount } from '../../domains/users/index.ts'
import { displayName } from '../../kernel/access/call.ts'
import type { Say } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { givesKind, portOf } from '../connectors/index.ts'
import { missingCredentials } from '../opening/missing-credentials.ts'
import { SESSION_KINDS } from '../opening/session-kinds.ts'
import { checkSessionLimits } from '../opening/session-row.ts'
import { loadTarget } from '../session/load-target.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { reviewedLogin } from '../session/target-review.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import { machineSteps } from './of-the-machine.ts'
import type { AccessQuestion } from './question.ts'
import { asks, editTarget, failed, passed } from './step.ts'

type Question = AccessQuestion & { systemUser: NonNullable<AccessQuestion['systemUser']> }

/** In the place of each secret that is there: none is opened, nor fetched from where it is kept. */
const SEALED = Object.assign(() => 'sealed', { outside: 'assumed' } as const)

/** The conditions after the permission, as a session meets them up to its row. */
export async function onTheWay(kernel: Kernel, question: Question, say: Say): Promise<ExplainedStep[]> {
  const { user, target, systemUser } = question
  const limits = await refusalOf(say, () => checkSessionLimits(kernel, kernel.db, user, target))
  const wanted = { systemUserId: systemUser.id, userId: undefined, username: user.username }
  let loaded: ConnectionTarget | undefined
  const place = await refusalOf(say, async () => {
    loaded = await loadTarget(kernel, target, wanted, SEALED)
  })
  return [
    limits ? failed('limits', limits) : passed('limits', say('No limit of sessions is reached')),
    ...(place || !loaded
      ? [failed('place', place ?? '', editTarget(target, say))]
      : await atTarget(kernel, question, loaded, say)),
  ]
}

async function atTarget(
  kernel: Kernel,
  question: Question,
  loaded: ConnectionTarget,
  say: Say,
): Promise<ExplainedStep[]> {
  const { gateways, systemUser } = loaded
  const names = gateways.map(({ name }) => name).join(', ')
  const isSupported = Object.keys(SESSION_KINDS).some((kind) => givesKind(systemUser.protocol, kind))
  const port = await refusalOf(say, () => void portOf(loaded))
  return [
    passed(
      'place',
      names ? say('Reached through the gateways {{names}}', { names }) : say('Reached without a gateway'),
    ),
    isSupported && !port
      ? passed('protocol', say('{{protocol}} is supported', { protocol: systemUser.protocol }))
      : failed('protocol', port ?? say('This kind of connection is not supported'), editTarget(question.target, say)),
    ...(isSupported && !port ? await machineSteps(kernel, loaded, say, question.timeZone) : []),
    secretStep(loaded, say),
    await reviewStep(kernel, question, loaded, say),
    await rulesStep(kernel, question, say),
  ]
}

function secretStep(target: ConnectionTarget, say: Say): ExplainedStep {
  const { username: asksName, secret: asksSecret } = missingCredentials(target)
  const { username, password, privateKey, token, certificate, isKeptOutside } = target.credentials
  if (target.systemUser.login_mode === 'manual')
    return asks('secret', say('The person types the password at each connection'))
  if (asksName || asksSecret)
    return asks('secret', say('User name or secret is not stored, so the person is asked for it'))
  if (certificate) return passed('secret', say('A certificate is made for {{username}} at each login', { username }))
  const isStored = password || privateKey || token
  if (isStored && isKeptOutside)
    return passed('secret', say('The secret for {{username}} is fetched from where it is kept', { username }))
  return passed(
    'secret',
    isStored ? say('A stored secret is used for {{username}}', { username }) : say('No secret is needed'),
  )
}

async function reviewStep(
  { db }: Kernel,
  { user }: Question,
  loaded: ConnectionTarget,
  say: Say,
): Promise<ExplainedStep> {
  const reviewers = await targetReviewers(db, reviewedLogin(user, loaded))
  if (!reviewers.length) return passed('review', say('Nobody has to confirm the connection'))
  const people = await db.select().from(usersAccount).where(inArray(usersAccount.id, reviewers))
  if (!people.length)
    return failed('review', say('An asset access rule asks for a confirmation, and none of its reviewers is left'))
  const names = people.map((one) => spoken(displayName(one))).join(', ')
  return asks('review', say('Connecting to this asset must be confirmed by: {{reviewers}}', { reviewers: names }))
}

async function rulesStep({ db }: Kernel, { user, target, systemUser }: Question, say: Say): Promise<ExplainedStep> {
  const rules = await commandRulesFor(db, { userId: user.id, systemUserId: systemUser.id, target })
  return passed(
    'rules',
    rules.length
      ? say('{{count|command rule judges|command rules judge}} the session', { count: rules.length })
      : say('No command rule judges the session'),
  )
}

/** The words with which a session would be refused; undefined where it would not. */
async function refusalOf(say: Say, ask: () => unknown): Promise<string | undefined> {
  try {
    await ask()
    return undefined
  } catch (error) {
    if (error instanceof SessionRefusal) return say(error.message, error.values)
    throw error
  }
}
