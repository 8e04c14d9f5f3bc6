import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { Checkbox } from '../../design/inputs/Checkbox.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { RemoteSelect } from '../../generic/widgets/remote-select/RemoteSelect.tsx'
import { api } from '../../lib/api.ts'
import { atOnce } from '../../lib/at-once.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { askWith } from '../dialogs.tsx'
import styles from './messages.module.css'

const PATH = '/api/v1/notifications/system-msg-subscription/'
const BACKENDS_PATH = '/api/v1/notifications/backends/'

interface Subscription {
  message_type: string
  message_type_label: string
  users: string[]
  groups: string[]
  receive_backends: string[]
  receivers: { id: string; name: string }[]
}

interface Channel {
  name: string
  name_display: string
}

interface Category {
  category: string
  category_label: string
  children: Subscription[]
}

/**
 * Recipients of the messages of the installation, and by which channels besides the inbox
 * (docs/rules/notifications.md#system_msg_subscription).
 */
export function SystemSubscriptions() {
  const categories = useQuery({
    queryKey: keys.list(PATH, {}),
    queryFn: ({ signal }) => api.get<Category[]>(PATH, { signal, quiet: true }),
  })
  const backends = useQuery({
    queryKey: keys.list(BACKENDS_PATH, {}),
    queryFn: ({ signal }) => api.get<Channel[]>(BACKENDS_PATH, { signal, quiet: true }),
  })
  const failure = categories.error ?? backends.error
  if (failure)
    return <LoadFailed error={failure} onRetry={() => void Promise.all([categories.refetch(), backends.refetch()])} />
  if (!categories.data || !backends.data) return <span>{t('Loading')}</span>
  const channels = backends.data.filter(({ name }) => name !== 'site_msg')
  return (
    <>
      <p>{t('Recipients always find these messages in their inbox. Ticks add further channels.')}</p>
      <div className="table-box">
        <table className={`table ${styles.subscriptions}`}>
          <thead>
            <tr>
              <th scope="col">{t('Message type')}</th>
              {channels.map(({ name, name_display }) => (
                <th key={name} scope="col">
                  {name_display}
                </th>
              ))}
              <th scope="col">{t('Recipients')}</th>
              <th scope="col">{t('Actions@@column')}</th>
            </tr>
          </thead>
          {categories.data.map(({ category, category_label, children }) => (
            <tbody key={category}>
              <tr className={styles.category}>
                <th scope="rowgroup" colSpan={channels.length + 3}>
                  {category_label}
                </th>
              </tr>
              {children.map((kind) => (
                <SubscriptionRow key={kind.message_type} kind={kind} channels={channels} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </>
  )
}

function SubscriptionRow({ kind, channels }: { kind: Subscription; channels: readonly Channel[] }) {
  const [busy, setBusy] = useState(false)
  const change = async (part: Partial<Subscription>) => {
    setBusy(true)
    const patched = (one: Subscription) => (one.message_type === kind.message_type ? { ...one, ...part } : one)
    const change = (rows: readonly unknown[]) =>
      (rows as Category[]).map((category) => ({ ...category, children: category.children.map(patched) }))
    await atOnce(PATH, change, () => api.patch(`${PATH}${kind.message_type}/`, part)).then(
      () => showSuccess(t('Saved')),
      () => {},
    )
    setBusy(false)
  }
  const chooseReceivers = async () => {
    let users: readonly string[] = kind.users
    const choice = <ReceiverChoice users={kind.users} onChange={(next) => (users = next)} />
    if (await askWith(`${t('Change recipients')}: ${kind.message_type_label}`, choice))
      await change({ users: [...users] })
  }
  return (
    <tr>
      <td>{kind.message_type_label}</td>
      {channels.map(({ name, name_display }) => (
        <td key={name}>
          <Checkbox
            aria-label={`${kind.message_type_label}: ${name_display}`}
            checked={kind.receive_backends.includes(name)}
            onChange={(isTicked) => {
              if (busy) return
              const others = kind.receive_backends.filter((one) => one !== name)
              void change({ receive_backends: isTicked ? [...others, name] : others })
            }}
          />
        </td>
      ))}
      <td className={styles.receivers}>
        {kind.receivers.map(({ name }) => name).join(', ') || <span className="quiet">{t('Nobody')}</span>}
      </td>
      <td>
        <button type="button" className="link" disabled={busy} onClick={() => void chooseReceivers()}>
          {t('Change recipients')}
        </button>
      </td>
    </tr>
  )
}

function ReceiverChoice({
  users,
  onChange,
}: {
  users: readonly string[]
  onChange: (users: readonly string[]) => void
}) {
  const [chosen, setChosen] = useState<string[]>([...users])
  return (
    <RemoteSelect
      path="/api/v1/users/users/"
      display="{name}({username})"
      query={{ oid: 'ROOT', fields_size: 'mini', order: 'name' }}
      multiple
      value={chosen}
      onChange={(value) => {
        const next = Array.isArray(value) ? value : []
        setChosen(next)
        onChange(next)
      }}
    />
  )
}
