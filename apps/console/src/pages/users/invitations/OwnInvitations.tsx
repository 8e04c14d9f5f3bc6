import { type OwnInvitation, ownInvitation } from '@sallyport/contract/resources/orgs/organization-invitation.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import { api } from '../../../lib/api.ts'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { nameOf } from '../../../lib/name-of.ts'
import { forget, keys } from '../../../lib/query.ts'
import { confirmAndCall } from '../confirm-and-call.ts'
import styles from '../sign-in-list.module.css'
import { roleNames } from './org-roles.ts'

const { path } = ownInvitation

/** The organizations that have invited the person, each to accept or to decline. */
export function OwnInvitations() {
  const list = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<OwnInvitation[]>(path, { signal, quiet: true }),
  })
  const [busy, setBusy] = useState(false)
  const accept = async ({ id }: OwnInvitation) => {
    setBusy(true)
    try {
      await api.post(`${path}${id}/accept/`)
      // The organization and the rights in it are the session's, which is as old as the page.
      location.reload()
    } finally {
      setBusy(false)
      await forget(path)
    }
  }
  const decline = ({ id, organization }: OwnInvitation) =>
    confirmAndCall(
      {
        title: t('Decline the invitation to "{{organization}}"?', { organization }),
        content: t('It cannot invite you again for some days.'),
        okText: t('Decline'),
      },
      () => api.post(`${path}${id}/decline/`),
      t('Declined@@invitation'),
    ).finally(() => forget(path))
  return (
    <section className="panel">
      <h2>{t('Invitations')}</h2>
      <div className="inside">
        {list.isLoadingError && <LoadFailed error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <span>{t('Loading')}</span>}
        {list.data?.length === 0 && <p className="quiet">{t('No organization has invited you')}</p>}
        <ul className={styles.signInList}>
          {(list.data ?? []).map((row) => (
            <li key={row.id}>
              <div>
                <strong>{row.organization}</strong>
                <p>
                  {t('{{name}} invites you as {{roles}}, until {{date}}', {
                    name: nameOf(row.invited_by),
                    roles: roleNames(row.roles),
                    date: formatDate(row.date_expired),
                  })}
                </p>
              </div>
              <span className={styles.invitationAnswers}>
                <Button
                  type="primary"
                  size="small"
                  disabled={busy}
                  aria-label={t('Accept the invitation to {{organization}}', { organization: row.organization })}
                  onClick={() => void accept(row).catch(() => {})}
                >
                  {t('Accept')}
                </Button>
                <Button
                  size="small"
                  disabled={busy}
                  aria-label={t('Decline the invitation to {{organization}}', { organization: row.organization })}
                  onClick={() => void decline(row).catch(() => {})}
                >
                  {t('Decline')}
                </Button>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
