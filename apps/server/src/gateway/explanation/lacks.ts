import type { ExplainedStep } from '@sallyport/contract/resources/perms/explanation.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import type { Lack, NearPermission } from '../../domains/perms/index.ts'
import type { Say } from '../../kernel/i18n/translate.ts'
import { failed } from './step.ts'

const WORDS: Readonly<Record<Lack, string>> = {
  person: 'it names neither the person nor a group of theirs',
  target: 'it covers neither the target nor a node over it',
  account: 'it has another system user',
  off: 'it is switched off',
  future: 'it begins on {{date}}',
  ended: 'it ended on {{date}}',
  membership: 'the person is not a member of its organization',
  connect: 'it does not allow to connect',
  action: 'it does not allow the action',
}

type Lacking = Pick<NearPermission, 'lacks' | 'dateStart' | 'dateExpired'>

/** Each condition that a permission does not meet, as part of a sentence. */
export function lacksInWords({ lacks, dateStart, dateExpired }: Lacking, say: Say): string[] {
  const day = (date: Date) => date.toISOString().slice(0, 10)
  return lacks.map((lack) => say(WORDS[lack], { date: day(lack === 'future' ? dateStart : dateExpired) }))
}

/** The failed step of permissions: the one that comes nearest, and how it would be mended. */
export function nearestInWords(family: TargetFamily, near: readonly NearPermission[], say: Say): ExplainedStep {
  const resource = `${family}_permission` as const
  const [nearest] = near.map((one) => ({ ...one, lacks: one.lacks.filter((lack) => lack !== 'action') })).sort(byLacks)
  if (!nearest)
    return failed('permission', say('No permission names the person or covers the target'), {
      text: say('Create a permission'),
      ...{ resource, id: null },
    })
  const words = { permission: nearest.name, lacks: lacksInWords(nearest, say).join(say('; ')) }
  // Others would gain a right as well, or this person all of its targets.
  const isAbout = !nearest.lacks.some((lack) => lack === 'person' || lack === 'target')
  return failed(
    'permission',
    say('No permission grants it. {{permission}} comes nearest: {{lacks}}', words),
    isAbout
      ? { text: say('Edit {{permission}}', words), resource, id: nearest.id }
      : { text: say('Create a permission'), resource, id: null },
  )
}

const byLacks = (a: Lacking, b: Lacking) => a.lacks.length - b.lacks.length
