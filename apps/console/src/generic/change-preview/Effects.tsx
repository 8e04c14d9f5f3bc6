import { MACHINE_ITSELF } from '@sallyport/contract/forwarding.ts'
import { Notice } from '../../design/Notice.tsx'
import { t } from '../../lib/i18n.ts'
import { actionWords } from '../permission-actions/action-words.ts'
import { type ChangeEffects, isIdle } from './change.ts'
import { EffectGroup } from './EffectGroup.tsx'
import { Judged } from './Judged.tsx'
import { people, right } from './words.ts'

/** The effects of a change, by kind. */
export function Effects({ effects }: { effects: ChangeEffects }) {
  const {
    gained,
    lost,
    changed,
    roles,
    places,
    sessions_end,
    tickets,
    schedules,
    plans,
    self,
    last_administrator,
    touched,
  } = effects
  if (isIdle(effects)) return <p>{t('Nobody gains or loses a right.')}</p>
  const administered = last_administrator.organizations.map(({ name }) => name).join(', ')
  return (
    <>
      {last_administrator.system && (
        <Notice tone="danger" role="note" title={t('No system administrator would be left.')} />
      )}
      {administered && (
        <Notice
          tone="danger"
          role="note"
          title={t('No administrator would be left in {{names}}.', { names: administered })}
        />
      )}
      {self.lost + self.changed > 0 && <Notice tone="danger" role="note" title={t('You take rights from yourself.')} />}
      {!effects.is_exact && (
        <>
          <EffectGroup
            title={t('It touches {{people|person|people}}, too many rights to be named.', { people: touched.people })}
            count={touched.people}
            rows={(touched.people_rows ?? []).map(({ name }) => name)}
          />
          <EffectGroup
            title={t('Assets and applications: {{count}}', { count: touched.targets })}
            count={touched.targets}
            rows={(touched.target_rows ?? []).map(({ name }) => name)}
          />
        </>
      )}
      <EffectGroup
        title={t('Lost: {{count|right|rights}} of {{people}}', { count: lost.count, people: people(lost.people) })}
        count={lost.count}
        rows={lost.rows.map((row) => `${right(row)}: ${actionWords(row.actions)}`)}
      />
      <EffectGroup
        title={t('Gained: {{count|right|rights}} of {{people}}', {
          count: gained.count,
          people: people(gained.people),
        })}
        count={gained.count}
        rows={gained.rows.map((row) => `${right(row)}: ${actionWords(row.actions)}`)}
      />
      <EffectGroup
        title={t('Changed: {{count|right|rights}} of {{people}}', {
          count: changed.count,
          people: people(changed.people),
        })}
        count={changed.count}
        rows={changed.rows.map((row) => `${right(row)}: ${difference(row)}`)}
      />
      <Judged effects={effects} />
      <EffectGroup
        title={t('{{count|live session ends|live sessions end}}', { count: sessions_end.count })}
        count={sessions_end.count}
        rows={sessions_end.rows.map((row) => `${row.user} → ${row.asset} (${row.system_user})`)}
      />
      <EffectGroup
        title={t('{{count|schedule loses a machine|schedules lose machines}}', { count: schedules.count })}
        count={schedules.count}
        rows={schedules.rows.map(({ name }) => name)}
      />
      <EffectGroup
        title={t('{{count|open ticket is|open tickets are}} about it', { count: tickets.count })}
        count={tickets.count}
        rows={tickets.rows.map(({ name }) => name)}
      />
      <EffectGroup
        title={t('{{count|plan of secrets is|plans of secrets are}} about it', { count: plans.count })}
        count={plans.count}
        rows={plans.rows.map(({ name }) => name)}
      />
      <EffectGroup
        title={t('{{count|person has|people have}} another role or sign-in', { count: roles.count })}
        count={roles.count}
        rows={roles.rows.map(({ person }) => person.name)}
      />
      <EffectGroup
        title={t('{{count|person changes|people change}} user groups', { count: places.count })}
        count={places.count}
        rows={places.rows.map(({ person, gained, lost }) => `${person.name}: ${signed(gained, lost)}`)}
      />
    </>
  )
}

function difference({
  gained_actions,
  lost_actions,
  databases,
  forwarding,
}: ChangeEffects['changed']['rows'][number]): string {
  const gained = gained_actions.length ? `+ ${actionWords(gained_actions)}` : ''
  const lost = lost_actions.length ? `− ${actionWords(lost_actions)}` : ''
  const names = (some: string[] | null) => some?.join(', ') ?? t('all databases')
  const others = databases ? `${names(databases.before)} → ${names(databases.after)}` : ''
  const places = (some: string[]) =>
    some.map((one) => (one === MACHINE_ITSELF ? t('the machine itself@@sentence') : one)).join(', ') ||
    t('nowhere@@forwarding')
  const forwarded = forwarding
    ? t('Port forwarding: {{change}}', { change: `${places(forwarding.before)} → ${places(forwarding.after)}` })
    : ''
  return [gained, lost, others, forwarded].filter(Boolean).join('; ')
}

const signed = (gained: readonly string[], lost: readonly string[]) =>
  [...gained.map((name) => `+ ${name}`), ...lost.map((name) => `− ${name}`)].join(', ')
