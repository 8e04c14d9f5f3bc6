import { ROOTS_PATH, type SignedRoot } from '@sallyport/contract/resources/audits/forwarding.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../../design/Button.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { api, download } from '../../../lib/api.ts'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import { saveFile } from '../../../lib/save-file.ts'
import styles from './evidence.module.css'

const SHOWN = 30
const VERIFIER = 'deploy/audit/verify-audits.mjs'
const COMMANDS = `node verify-audits.mjs sql operate_log | psql -qAtX "$DATABASE_URL" > operate_log
node verify-audits.mjs check --roots roots-*.json --key root-key.pem operate_log`

/** The part of a log that a root covers: numbers of its first and last row. */
interface Ends {
  first: number
  last: number
}
interface Root {
  date: string
  logs: Readonly<Record<string, Ends>>
}

/** One more file each day: the verifier is given all of them. */
const rootsFile = () => `roots-${new Date().toISOString().slice(0, 10)}.json`

const fetchFile = async (path: string, name: string) => saveFile((await download(path)).blob, name)

/** The newest signatures over all logs, the files that a verifier needs, and how it is used. */
export function SignedRoots() {
  const query = { newest: SHOWN }
  const read = useQuery({
    queryKey: keys.list(ROOTS_PATH, query),
    queryFn: ({ signal }) => api.get<SignedRoot[]>(ROOTS_PATH, { query, signal, quiet: true }),
  })
  return (
    <>
      <section className={`panel ${styles.evidence}`}>
        <h2>{t('Check the logs')}</h2>
        <div className="inside">
          <p>
            {t(
              'Every night the server signs what all logs are. Keep these files where the database is not: only then do they show what was changed in it.',
            )}
          </p>
          <p className={styles.rowOfButtons}>
            <Button onClick={() => void fetchFile(ROOTS_PATH, rootsFile()).catch(() => {})}>
              {t('Download the checkpoints')}
            </Button>
            <Button onClick={() => void fetchFile(`${ROOTS_PATH}key/`, 'root-key.pem').catch(() => {})}>
              {t('Download the public key')}
            </Button>
          </p>
          <p>
            {t('The verifier is one file and needs no server:')} <code>{VERIFIER}</code>
          </p>
          <pre>{COMMANDS}</pre>
        </div>
      </section>
      {read.data ? (
        <RootTable roots={read.data} />
      ) : read.error ? (
        <LoadFailed error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton lines={6} />
      )}
    </>
  )
}

function RootTable({ roots }: { roots: readonly SignedRoot[] }) {
  return (
    <div className="table-box">
      <table className="table" aria-label={t('Signed checkpoints')}>
        <thead>
          <tr>
            <th scope="col">{t('Number@@root')}</th>
            <th scope="col">{t('Signed')}</th>
            <th scope="col" className="right">
              {t('Rows of all logs')}
            </th>
            <th scope="col">{t('Signature')}</th>
          </tr>
        </thead>
        <tbody>
          {roots.toReversed().map(({ number, body, signature }) => {
            const { date, logs } = JSON.parse(body) as Root
            const rows = Object.values(logs).reduce((sum, { first, last }) => sum + last - first, 0)
            return (
              <tr key={number}>
                <td>{number}</td>
                <td data-label={t('Signed')}>{formatDate(date)}</td>
                <td data-label={t('Rows of all logs')} className="right">
                  {rows}
                </td>
                <td data-label={t('Signature')}>
                  <code title={signature}>{signature.slice(0, 24)}…</code>
                </td>
              </tr>
            )
          })}
          {roots.length === 0 && (
            <tr className="empty">
              <td colSpan={4}>{t('The first checkpoint is signed tonight')}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}
