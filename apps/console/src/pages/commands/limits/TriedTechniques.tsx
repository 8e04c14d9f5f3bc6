import { Status } from '../../../design/Status.tsx'
import { t } from '../../../lib/i18n.ts'
import styles from '../commands.module.css'
import { GROUPS } from './technique-groups.ts'
import tried from './techniques.json'

export function TriedTechniques() {
  const { rule, allow_list, groups } = tried
  const all = groups.flatMap(({ lines }) => lines)
  const caught = (by: 'rule' | 'list') => all.filter((line) => line[by]).length
  return (
    <section className={`panel ${styles.triedTechniques}`}>
      <h2>{t('What is tried with every release')}</h2>
      <div className="inside">
        <p className={styles.ruleProse}>
          {t(
            '{{all}} lines that get around rules: {{denied}} are caught by a rule that denies, {{listed}} by an allow-list.',
            {
              all: all.length,
              denied: caught('rule'),
              listed: caught('list'),
            },
          )}
        </p>
        <dl className={styles.triedRules}>
          <dt>{t('A rule that denies, such as')}</dt>
          <dd>
            <code>{rule}</code>
          </dd>
          <dt>{t('The allow-list')}</dt>
          <dd>
            <code>{allow_list}</code>
          </dd>
        </dl>
        {groups.map(({ group, lines }) => (
          <details key={group}>
            <summary>
              {t(GROUPS[group] ?? group)} <span className="quiet">{lines.length}</span>
            </summary>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t('Line')}</th>
                  <th scope="col">{t('By the rule')}</th>
                  <th scope="col">{t('By the allow-list')}</th>
                </tr>
              </thead>
              <tbody>
                {lines.map(({ line, rule, list }, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a line may be tried by two rules
                  <tr key={at}>
                    <td>
                      <code>{line}</code>
                    </td>
                    <td>
                      <Caught is={rule} />
                    </td>
                    <td>
                      <Caught is={list} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        ))}
      </div>
    </section>
  )
}

const Caught = ({ is }: { is: boolean }) => (
  <Status tone={is ? 'good' : 'warning'}>{is ? t('Caught') : t('Gets through')}</Status>
)
