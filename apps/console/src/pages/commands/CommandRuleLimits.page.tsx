import { lazily } from '../../design/lazily.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import styles from './commands.module.css'
import { LimitsOfKind } from './limits/LimitsOfKind.tsx'
import { TARGET_KINDS, TARGET_LIMITS } from './limits/target-limits.ts'

export const routes = places({
  name: 'CommandRuleLimits',
  menu: 'assets',
  title: msg('What command rules can and cannot do'),
  path: '/assets/cmd-filters/limits',
  hidden: true,
  active: '/assets/cmd-filters',
})

/** A hundred lines of shell, which no other page of the domain needs. */
const TriedTechniques = lazily(() => import('./limits/TriedTechniques.tsx').then((m) => m.TriedTechniques))

/** The documentation of rules where they are written: what they see, ways around, stronger means. */
export function CommandRuleLimits({ title }: PageProps) {
  return (
    <PageFrame
      title={title}
      back
      lead={t('A rule is about a text, never about an effect: good against mistakes, and weak against intent.')}
    >
      <div className="stacked">
        <section className="panel">
          <h2>{t('What is judged')}</h2>
          <div className={`inside ${styles.ruleProse}`}>
            <ul>
              <li>
                {t(
                  'The line as it was typed, and each simple command in it: in pipes, loops and $( ), behind sudo, env and xargs, inside of sh -c and eval, with quotes and variables of the same line resolved. The strictest ruling counts.',
                )}
              </li>
              <li>
                {t(
                  'Rules are tried by priority, small numbers first. The first that finds something decides; what none finds something in runs.',
                )}
              </li>
              <li>
                {t(
                  'Where the last rule denies everything, every command of a line needs a rule that allows it, and what nobody can know before it runs is denied.',
                )}
              </li>
              <li>
                {t(
                  'Not judged: what is typed into a full-screen program, files that are moved by SFTP, and what is typed without being shown. The session says so among its events.',
                )}
              </li>
            </ul>
          </div>
        </section>
        {TARGET_KINDS.map((kind) => (
          <section key={kind} className="panel">
            <h2>{t(TARGET_LIMITS[kind].title)}</h2>
            <div className="inside">
              <LimitsOfKind kind={kind} />
            </div>
          </section>
        ))}
        <TriedTechniques />
      </div>
    </PageFrame>
  )
}

export const pages = { CommandRuleLimits }
