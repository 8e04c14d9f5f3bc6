import { msg, t } from '../../lib/i18n.ts'
import type { ChangeEffects, Judgement } from './change.ts'
import { EffectGroup } from './EffectGroup.tsx'
import { people, right } from './words.ts'

/** The groups of a kind of rules, with their titles. */
const KINDS = [
  {
    part: 'confirmations',
    begin: msg('Then wait for a reviewer: {{count|right|rights}} of {{people}}'),
    end: msg('No longer wait for a reviewer: {{count|right|rights}} of {{people}}'),
    others: msg('Wait for other reviewers: {{count|right|rights}} of {{people}}'),
  },
  {
    part: 'commands',
    begin: msg('Commands are then judged: {{count|right|rights}} of {{people}}'),
    end: msg('Commands are no longer judged: {{count|right|rights}} of {{people}}'),
    others: msg('Commands are judged in another way: {{count|right|rights}} of {{people}}'),
  },
] as const

/** The rights that then wait for reviewers, or whose commands are judged, where the change is about that. */
export function Judged({ effects }: { effects: ChangeEffects }) {
  return KINDS.map(({ part, ...titles }) => {
    const { is_exact, touched, ...lists } = effects[part]
    return (
      <div key={part}>
        {!is_exact && (
          <p>
            {t('The rule may meet {{people|person|people}}, too many rights to be named.', { people: touched.people })}{' '}
            {t('Assets and applications: {{count}}', { count: touched.targets })}
          </p>
        )}
        {(['begin', 'end', 'others'] as const).map((way) => (
          <EffectGroup
            key={way}
            title={t(titles[way], { count: lists[way].count, people: people(lists[way].people) })}
            count={lists[way].count}
            rows={lists[way].rows.map((row) => `${right(row)}: ${difference(row)}`)}
          />
        ))}
      </div>
    )
  })
}

/** By whom, or by which filters. */
function difference({ before, after }: Judgement): string {
  const words = (names: readonly string[]) => names.join(', ') || t('Nobody')
  if (!before || !after) return words(before ?? after ?? [])
  return String(before) === String(after) ? words(after) : `${words(before)} → ${words(after)}`
}
