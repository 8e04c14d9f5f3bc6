import { Link } from 'react-router'
import { t } from '../../../lib/i18n.ts'
import { addressOf } from '../../../navigation/routes.ts'
import styles from '../commands.module.css'
import { type StrongerMeans, TARGET_LIMITS, type TargetKind, type TargetLimits } from './target-limits.ts'

/** What people can still do on targets of a kind, and what holds better, with the pages to set it on. */
export function LimitsOfKind({ kind }: { kind: TargetKind }) {
  const { sees, ways, stronger }: TargetLimits = TARGET_LIMITS[kind]
  return (
    <div className={styles.limitsOfKind}>
      <div>
        <p>{t(sees)}</p>
        <ul>
          {ways.map(({ words, example }) => (
            <li key={words}>
              {t(words)} <code>{example}</code>
            </li>
          ))}
        </ul>
      </div>
      <div>
        <p>{t('What holds better:')}</p>
        <ul>
          {stronger.map((means) => (
            <li key={means.words}>
              <Means means={means} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function Means({ means: { words, page } }: { means: StrongerMeans }) {
  const address = page && addressOf(page.name)
  return (
    <>
      {t(words)}
      {address && (
        <>
          {' '}
          <Link to={address}>{t(page.words)}</Link>
        </>
      )}
    </>
  )
}
