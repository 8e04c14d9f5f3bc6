import type { SignIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { confirmDanger, showSuccess } from '../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { api } from '../../lib/api.ts'
import { formatDate, formatRelative } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { endSignIn, placeOf, signInName } from './ending-sign-ins.ts'
import styles from './sign-in-list.module.css'

export interface SignInListProps {
  /** Already translated. */
  title: string
  /** The list; a row is deleted below it. */
  path: string
  mayEnd: boolean
  /** Ends many at once. Texts are already translated. */
  all: { path: string; button: string; question: string; effect: string }
}

/** A person's sign-ins, each with a button that ends it. */
export function SignInList({ title, path, mayEnd, all }: SignInListProps) {
  const list = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<SignIn[]>(path, { signal, quiet: true }),
  })
  const [busy, setBusy] = useState(false)
  const end = async (address: string) => {
    setBusy(true)
    try {
      await api.delete(address)
      showSuccess(t('Signed out'))
    } finally {
      setBusy(false)
      await forget(path)
    }
  }
  // The call itself has told the person about a failure; the dialog closes all the same, and the
  // list says what holds.
  const endAll = () =>
    confirmDanger({
      title: all.question,
      content: all.effect,
      okText: all.button,
      onOk: () => end(all.path).catch(() => {}),
    })
  // Those that were never used come last.
  const rows = (list.data ?? []).toSorted(
    (a, b) => Number(a.date_last_seen === null) - Number(b.date_last_seen === null),
  )
  return (
    <section className="panel">
      <h2>{title}</h2>
      <div className="inside">
        {list.isLoadingError && <LoadFailed error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <span>{t('Loading')}</span>}
        {list.data?.length === 0 && <p className="quiet">{t('Not signed in anywhere')}</p>}
        <ul className={styles.signInList}>
          {rows.map((row) => (
            <li key={row.id}>
              <div>
                <strong title={row.user_agent}>{signInName(row)}</strong>
                {row.is_current && <span className="tag">{t('This browser')}</span>}
                <p>
                  {placeOf(row)}
                  {row.remote_addr && ' · '}
                  {sinceOf(row)} ·{' '}
                  {row.date_last_seen ? (
                    <span title={formatDate(row.date_last_seen)}>
                      {t('last seen {{when}}', {
                        when: row.is_current ? t('just now') : formatRelative(row.date_last_seen),
                      })}
                    </span>
                  ) : (
                    t('never used')
                  )}
                  {row.date_expired && ` · ${t('valid until {{date}}', { date: formatDate(row.date_expired) })}`}
                </p>
              </div>
              {mayEnd && !row.is_current && (
                <Button
                  danger
                  size="small"
                  disabled={busy}
                  aria-label={endingLabel(row)}
                  onClick={() => endSignIn(row, path, () => forget(path))}
                >
                  {row.kind === 'browser' ? t('Sign out') : t('Revoke@@access')}
                </Button>
              )}
            </li>
          ))}
        </ul>
        {mayEnd && (
          <Button danger disabled={busy || list.isPending} onClick={endAll}>
            {all.button}
          </Button>
        )}
      </div>
    </section>
  )
}

function sinceOf({ kind, date_created }: SignIn): string {
  const date = formatDate(date_created)
  if (kind === 'browser_hold') return t('confirmed {{date}}', { date })
  return kind === 'private_token' ? t('made {{date}}', { date }) : t('signed in {{date}}', { date })
}

function endingLabel(row: SignIn): string {
  const name = [signInName(row), row.remote_addr].filter(Boolean).join(', ')
  return row.kind === 'browser' ? t('Sign out {{name}}', { name }) : t('Revoke {{name}}', { name })
}
