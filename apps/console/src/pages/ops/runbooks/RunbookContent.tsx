import type { Runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './runbook.module.css'

/** The steps in order, and the values that a run asks for. */
export function RunbookContent({ row: { steps, variables } }: Pick<DetailProps<Runbook>, 'row'>) {
  return (
    <section className={`panel ${styles.runbookContent}`}>
      <h2>{t('Steps')}</h2>
      <ol>
        {steps.map(({ name, kind, command, path, mode, owner }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
          <li key={at}>
            <b>{name}</b>
            {kind === 'file' ? (
              <p>{t('Puts a file: {{file}}', { file: [path, mode, owner].filter(Boolean).join(' · ') })}</p>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a long command is scrolled with the keyboard too
              <pre tabIndex={0}>{command}</pre>
            )}
          </li>
        ))}
      </ol>
      {variables.length > 0 && (
        <>
          <h3>{t('Variables')}</h3>
          <dl className="facts">
            {variables.map(({ name, kind, label, value, account }) => (
              <div key={name}>
                <dt>
                  <code>{`{{${name}}}`}</code>
                </dt>
                <dd>
                  {kind === 'secret' ? t('Password of {{account}}', { account: account ?? '' }) : label || name}
                  {value && <span className="quiet"> {t('default {{value}}', { value })}</span>}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  )
}
