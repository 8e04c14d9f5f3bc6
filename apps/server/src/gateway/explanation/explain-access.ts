import { ACTION_BITS, ACTION_CHOICES, actionNames } from '@sallyport/contract/actions.ts'
import type {
  AccessExplanation,
  ExplainedPermission,
  ExplainedStep,
} from '@sallyport/contract/resources/perms/explanation.ts'
import {
  type ConnectAnswer,
  grantFacts,
  mayConnect,
  type NearPermission,
  nearPermissions,
} from '../../domains/perms/index.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { Say } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { lacksInWords, nearestInWords } from './lacks.ts'
import { signInSteps } from './of-the-person.ts'
import { onTheWay } from './on-the-way.ts'
import type { AccessQuestion } from './question.ts'
import { editTarget, failed, passed } from './step.ts'

/**
 * Whether a session would open now, and each condition with its state. The answers are those of the
 * functions by which sessions are opened (`opening/`); nothing is opened, asked or stored, and a login
 * that the person typed stays.
 * @throws AppError 400 for a permission that is not of the target's family and organization
 */
export async function explainAccess(kernel: Kernel, question: AccessQuestion, say: Say): Promise<AccessExplanation> {
  const { user, target, org, systemUser, action, permission } = question
  const asked = { userId: user.id, target, systemUserId: systemUser?.id ?? NOBODY, orgId: org.id }
  const [grant, facts, near, signIn] = await Promise.all([
    mayConnect(kernel.db, asked),
    grantFacts(kernel.db, asked),
    nearPermissions(kernel.db, asked, action, { wanted: permission }),
    signInSteps(kernel, question, say),
  ])
  if (permission && !near.some(({ id }) => id === permission)) throw invalid({ permission_id: 'Not found.' })
  const steps = [
    ...partsOf(question, facts, say),
    ...signIn,
    ...(systemUser ? grantSteps(question, grant, near, say) : []),
    ...(systemUser ? await onTheWay(kernel, { ...question, systemUser }, say) : []),
  ]
  return {
    verdict: steps.some(({ state }) => state === 'failed')
      ? 'refused'
      : steps.some(({ step, state }) => step === 'review' && state === 'asks')
        ? 'confirm'
        : 'allowed',
    user: { id: user.id, name: user.name },
    target,
    system_user: systemUser ? { id: systemUser.id, name: systemUser.name } : null,
    action,
    steps,
    permissions: near.map((one) => permissionOf(one, target.name, say)),
  }
}

/** No system user's id. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Person, target and system user by themselves. */
function partsOf(
  { user, target, org, systemUser }: AccessQuestion,
  facts: Awaited<ReturnType<typeof grantFacts>>,
  say: Say,
): ExplainedStep[] {
  const names = { person: user.name, org: org.name, target: target.name, account: systemUser?.name ?? '' }
  if (!systemUser) {
    const remedy = { text: say('Create a system user'), resource: 'system_user', id: null } as const
    return [failed('account', say('The organization {{org}} has no system user', names), remedy)]
  }
  const protocol = { ...names, protocol: systemUser.protocol }
  const editPerson = { text: say('Edit the person'), resource: 'user', id: user.id } as const
  return [
    facts?.isValidPerson
      ? passed('person', say('{{person}} is active', names))
      : failed(
          'person',
          user.isActive ? say('{{person}} has expired', names) : say('{{person}} is switched off', names),
          editPerson,
        ),
    facts?.isMember
      ? passed('membership', say('{{person}} is a member of {{org}}', names))
      : failed('membership', say('{{person}} is not a member of {{org}}', names)),
    facts?.isActiveTarget
      ? passed('target', say('{{target}} is active', names))
      : failed(
          'target',
          say('{{target}} is switched off, or the machine that it runs on is', names),
          editTarget(target, say),
        ),
    ...(facts?.isWithinLimit === false
      ? [failed('target', say('{{person}} is limited to some targets, and {{target}} is not among them', names))]
      : []),
    facts?.fits && facts.isOfSameOrg
      ? passed('account', say('{{account}} logs in by {{protocol}}, which {{target}} has', protocol))
      : failed(
          'account',
          say('{{account}} logs in by {{protocol}}, which {{target}} does not have', protocol),
          editTarget(target, say),
        ),
  ]
}

/** The permissions all together, as `mayConnect` answers. */
function grantSteps(
  { target, action }: AccessQuestion,
  { mask }: ConnectAnswer,
  near: readonly NearPermission[],
  say: Say,
): ExplainedStep[] {
  const granting = near.filter(({ lacks }) => !lacks.some((lack) => lack !== 'action'))
  const permission =
    mask & ACTION_BITS.connect
      ? passed(
          'permission',
          say('Granted by {{permissions}}', { permissions: granting.map(({ name }) => name).join(', ') }),
        )
      : nearestInWords(target.family, near, say)
  if (action === 'connect') return [permission]
  const bits = ACTION_BITS[action]
  const words = { action: say(ACTION_CHOICES[action]) }
  const owner = granting[0]
  return [
    permission,
    (mask & bits) === bits
      ? passed('action', say('The action is granted: {{action}}', words))
      : failed(
          'action',
          say('No permission grants the action: {{action}}', words),
          owner && {
            text: say('Edit {{permission}}', { permission: owner.name }),
            resource: `${target.family}_permission`,
            id: owner.id,
          },
        ),
  ]
}

const permissionOf = (
  { id, name, lacks, mask, people, targets, ...dates }: NearPermission,
  target: string,
  say: Say,
): ExplainedPermission => ({
  id,
  name,
  lacks: lacksInWords({ lacks, ...dates }, say),
  actions: actionNames(mask),
  people: people as ExplainedPermission['people'],
  targets: targets.map((way) => ({ ...way, name: way.name || target })) as ExplainedPermission['targets'],
})
