import type { CapacityReport } from '@sallyport/contract/resources/monitor/capacity.ts'
import { t } from '../../../lib/i18n.ts'
import figures from '../../ops/monitor/monitor.module.css'
import styles from './capacity.module.css'
import { about } from './units.ts'

/** What all nodes carry together: the sentence, then what is full first and how far the rest is by then. */
export function Headline({ report: { sentence, full_first, capacity, part_titles } }: { report: CapacityReport }) {
  if (!capacity) return null
  const { parts, people, sessions_a_minute, statements_a_second, hours_kept } = capacity
  return (
    <>
      <section className={`panel ${styles.headline}`} aria-label={t('What it carries')}>
        <p className={styles.sentence}>{sentence}</p>
        <p className={styles.first}>{full_first}</p>
        <ul className={styles.parts} aria-label={t('Full by then')}>
          {parts.map(({ part, people: most }, at) => {
            const share = most > 0 ? Math.min(1, people / most) : 1
            return (
              <li key={part} data-first={at === 0 || undefined}>
                <span>{part_titles[part]}</span>
                <span className={styles.bar}>
                  <i style={{ inlineSize: `${Math.round(share * 100)}%` }} />
                </span>
                <small>{t('{{people}} people', { people: about(most) })}</small>
              </li>
            )
          })}
        </ul>
      </section>
      <dl className={`${figures.monitorFigures} ${styles.figures}`}>
        {[
          [t('People at work at the same time'), about(people)],
          [t('New sessions a minute'), about(sessions_a_minute)],
          [t('Statements a second'), about(statements_a_second)],
          [t('Hours of terminals that fit the disk'), about(hours_kept)],
        ].map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
