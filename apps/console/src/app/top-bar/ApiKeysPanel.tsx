import type { AccessKey } from '@sallyport/contract/resources/authentication/access-key.ts'
import { accessKey } from '@sallyport/contract/resources/authentication/access-key.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Dialog } from '../../design/dialogs/Dialog.tsx'
import { ask, confirmDanger, showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { SecretCell } from '../../generic/cells/SecretCell.tsx'
import { askForMfa } from '../../generic/second-factor/MfaVerifyDialog.tsx'
import { api, errorText } from '../../lib/api.ts'
import { atOnce, withValues } from '../../lib/at-once.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import styles from './api-keys.module.css'

const { path } = accessKey
/** Failures are reported with what failed before the reason (B8.13). */
const QUIET = { quiet: true }

/** The person's keys, and what changes them: one call at a time, told when it is done or failed. */
function useOwnKeys() {
  const { data } = useQuery({
    queryKey: keys.list(path, {}),
    queryFn: ({ signal }) => api.get<AccessKey[]>(path, { signal }),
  })
  const [working, setWorking] = useState(false)
  const change = async (call: Promise<unknown>, done: string, failed: string) => {
    setWorking(true)
    try {
      await call
      showSuccess(done)
    } catch (error) {
      showError(`${failed}: ${errorText(error)}`)
    } finally {
      setWorking(false)
      await forget(path)
    }
  }
  const update = (key: AccessKey, body: Partial<AccessKey>) =>
    change(
      atOnce(path, withValues([key.id], body), () => api.patch(`${path}${key.id}/`, body, QUIET)),
      t('Saved'),
      t('Update failed'),
    )
  return {
    data,
    working,
    create: () => change(api.post(path, {}, QUIET), t('Created'), t('Create error')),
    toggle: (key: AccessKey) => update(key, { is_active: !key.is_active }),
    limit: async (key: AccessKey) => {
      let text = key.ip_group.join(', ')
      const content = <AddressesInput first={text} onChange={(next) => (text = next)} />
      if (!(await ask({ title: t('Limit addresses'), content, okText: t('Confirm') }))) return
      const ip_group = text.split(/[,，\s]+/).filter(Boolean)
      await update(key, { ip_group: ip_group.length ? ip_group : ['*'] })
    },
    remove: (key: AccessKey) =>
      confirmDanger({
        title: t('Delete API key {{name}}?', { name: key.id }),
        content: t('Programs that sign with it are refused at once. This cannot be undone.'),
        okText: t('Delete'),
        onOk: () => change(api.delete(`${path}${key.id}/`, QUIET), t('Deleted'), t('Delete failed')),
      }),
  }
}

/**
 * The person's own keys for signed requests (A4.04 B9.31); secrets stay covered until they are
 * asked for.
 */
export function ApiKeysPanel({ onClose }: { onClose: () => void }) {
  const own = useOwnKeys()
  const heads = [t('ID'), t('Secret'), t('Active'), t('Date created'), t('Actions@@column')]
  return (
    <Dialog
      title={t('API keys')}
      width={1180}
      onClose={onClose}
      foot={
        <>
          <Button type="primary" disabled={own.working} onClick={() => void own.create()}>
            {t('Create')}
          </Button>
          <Button onClick={onClose}>{t('Close')}</Button>
        </>
      }
    >
      <div className="table-box">
        <table className={`table ${styles.apiKeys}`}>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {own.data?.map((key) => (
              <KeyRow key={key.id} of={key} own={own} />
            ))}
            {own.data?.length === 0 && (
              <tr className="empty">
                <td colSpan={heads.length}>{t('No keys yet. Create one for a script that calls the API as you.')}</td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </Dialog>
  )
}

/** The server shows the end alone, unless the key is new or the second factor was just proven. */
const isCovered = ({ secret }: Pick<AccessKey, 'secret'>) => secret?.startsWith('*')

/** Undefined where the person does not prove the second factor. */
async function uncovered({ id }: AccessKey): Promise<string | undefined> {
  const read = () => api.get<AccessKey>(`${path}${id}/`, QUIET)
  const key = await read()
  if (!isCovered(key)) return key.secret ?? undefined
  return (await askForMfa()) ? ((await read()).secret ?? undefined) : undefined
}

function KeyRow({ of: key, own }: { of: AccessKey; own: ReturnType<typeof useOwnKeys> }) {
  const { working, toggle, limit, remove } = own
  return (
    <tr>
      <td>
        <span className={styles.apiKey}>{key.id}</span>
        <small className={styles.keyFact}>
          {t('Addresses')}: {limitWords(key.ip_group)}
        </small>
      </td>
      <td className={styles.apiKey}>
        <SecretCell label={t('Secret')} secret={isCovered(key) ? () => uncovered(key) : (key.secret ?? '')} />
      </td>
      <td>{key.is_active ? t('Yes') : t('No')}</td>
      <td>
        {formatDate(key.date_created)}
        <small className={styles.keyFact}>
          {t('Last used')}: {formatDate(key.date_last_used) || '-'}
        </small>
      </td>
      <td>
        <span className="row-actions">
          <button type="button" className="link" disabled={working} onClick={() => void toggle(key)}>
            {key.is_active ? t('Disable') : t('Enable')}
          </button>
          <button type="button" className="link" disabled={working} onClick={() => void limit(key)}>
            {t('Limit addresses')}
          </button>
          <button type="button" className="link danger" disabled={working} onClick={() => remove(key)}>
            {t('Delete')}
          </button>
        </span>
      </td>
    </tr>
  )
}

const limitWords = (group: readonly string[] = ['*']) => (group.includes('*') ? t('Everywhere') : group.join(', '))

function AddressesInput({ first, onChange }: { first: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(first)
  return (
    <>
      <p>
        {t(
          'Addresses, networks such as 10.0.0.0/8 and ranges such as 10.0.0.1-10.0.0.9, separated by commas; * is everywhere.',
        )}
      </p>
      <Input
        aria-label={t('Addresses')}
        value={text}
        onChange={(next) => {
          setText(next)
          onChange(next)
        }}
      />
    </>
  )
}
