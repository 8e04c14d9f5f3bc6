import type { SignIn } from '@sallyport/contract/resources/authentication/sign-in.ts'
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { confirmDanger, showSuccess } from '../../app/feedback.tsx'
import { api, errorText } from '../../lib/api.ts'
import { formatDate, formatRelative } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import './sign-in-list-body.css'

export interface SignInListProps {
  /** Already translated. */
  title: string
  /** The list; a row is deleted below it. */
  path: string
  mayEnd: boolean
  /** Ends many at once. Texts are already translated. */
  all: { path: string; button: string; question: string }
}

/** Browsers in which a person is signed in, each with a button that signs it out. */
export function SignInList({ title, path, mayEnd, all }: SignInListProps) {
  const list = useQuery({ queryKey: keys.list(path, {}), queryFn: ({ signal }) => api.get<SignIn[]>(path, { signal, quiet: true }) })
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
  // The call itself has told the person about a failure; the dialog closes all the same, and the list says what holds.
  const ask = (content: string, okText: string, address: string) =>
    confirmDanger({ content, okText, onOk: () => end(address).catch(() => {}) })
  const rows = list.data ?? []
  return (
    <section className="panel sign-ins">
      <h2>{title}</h2>
      <div className="inside">
        {list.isError && (
          <div className="table-failed" role="alert">
            <p>{errorText(list.error)}</p>
            <Button onClick={() => void list.refetch()}>{t('Try again')}</Button>
          </div>
        )}
        {list.isPending && <span className="loading">{t('Loading')}</span>}
        {list.data?.length === 0 && <p className="quiet">{t('Not signed in with any browser')}</p>}
        <ul className="sign-in-list">
          {rows.map((row) => (
            <li key={row.id}>
              <div>
                <strong title={row.user_agent}>{nameOf(row)}</strong>
                {row.is_current && <span className="tag">{t('This browser')}</span>}
                <p>
                  {placeOf(row)} · {t('signed in {{date}}', { date: formatDate(row.date_created) })} ·{' '}
                  <span title={formatDate(row.date_last_seen)}>
                    {t('last seen {{when}}', { when: row.is_current ? t('just now') : formatRelative(row.date_last_seen) })}
                  </span>
                </p>
              </div>
              {mayEnd && !row.is_current && (
                <Button
                  danger
                  size="small"
                  disabled={busy}
                  aria-label={t('Sign out {{name}}', { name: `${nameOf(row)}, ${row.remote_addr}` })}
                  onClick={() =>
                    ask(t('Sign out {{name}}?', { name: `${nameOf(row)}, ${row.remote_addr}` }), t('Sign out'), `${path}${row.id}/`)
                  }
                >
                  {t('Sign out')}
                </Button>
              )}
            </li>
          ))}
        </ul>
        {mayEnd && (
          <Button danger disabled={busy || list.isPending} onClick={() => ask(all.question, all.button, all.path)}>
            {all.button}
          </Button>
        )}
      </div>
    </section>
  )
}

const nameOf = ({ browser, system, user_agent }: SignIn) =>
  [browser, system].filter(Boolean).join(' · ') || user_agent || t('Unknown program')

const placeOf = ({ remote_addr, city }: SignIn) => (city ? `${remote_addr} (${city})` : remote_addr)
