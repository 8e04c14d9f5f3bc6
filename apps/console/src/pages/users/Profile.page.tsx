import { useMemo } from 'react'
import { Link } from 'react-router'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { lazily } from '../../design/lazily.tsx'
import { DetailCard } from '../../generic/detail/DetailCard.tsx'
import { TabPage } from '../../generic/detail/TabPage.tsx'
import type { Tab } from '../../generic/detail/tab.ts'
import type { FormGroup } from '../../generic/view/form-view.ts'
import { useMetadata } from '../../generic/view/metadata.ts'
import { api, type Row } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { SubscriptionCard } from '../notifications/SubscriptionCard.tsx'
import type { PageProps } from '../page-props.ts'
import { AuthSettingsPanel } from './AuthSettingsPanel.tsx'
import { OwnInvitations } from './invitations/OwnInvitations.tsx'
import { LocalForm } from './LocalForm.tsx'
import { PROFILE_PATH, useOwnProfile } from './own-profile.ts'
import { OwnSignIns } from './sign-ins.tsx'

/** Empty until it has been asked for, as its passkeys are. */
const PasskeysPanel = lazily(() => import('./passkeys/PasskeysPanel.tsx').then((m) => m.PasskeysPanel))

export const routes = places({
  name: 'UserProfile',
  menu: 'common',
  title: msg('User profile'),
  path: '/users/profile',
  hidden: true,
  bits: 0,
  cache: false,
})

/** The signed-in person's own page (A2.03). */
export function Profile({ title }: PageProps) {
  const profile = useOwnProfile()
  if (!profile.data)
    return (
      <PageFrame title={title}>
        {profile.isError ? (
          <LoadFailed error={profile.error} onRetry={() => void profile.refetch()} />
        ) : (
          <span>{t('Loading')}</span>
        )}
      </PageFrame>
    )
  const row = profile.data
  const tabs: Tab[] = [
    { name: 'ProfileInfo', title: t('Basic info'), content: () => <ProfileInfo row={row} /> },
    { name: 'ProfileUpdate', title: t('Profile'), content: () => <ProfileUpdate row={row} /> },
  ]
  // A password or key that does not count here is not offered: people of another directory change
  // theirs there.
  if (row.source === 'local')
    tabs.push({
      name: 'PasswordUpdate',
      title: t('Password'),
      content: () => <PasswordUpdate row={row} />,
    })
  if (row.can_public_key_auth)
    tabs.push({ name: 'SSHUpdate', title: t('SSH key'), content: () => <KeyUpdate row={row} /> })
  tabs.push({ name: 'SecretKeyUpdate', title: t('File encryption password'), content: () => <SecretKeyUpdate /> })
  tabs.push({ name: 'SignIns', title: t('My active sign-ins'), content: () => <OwnSignIns /> })
  tabs.push({ name: 'Invitations', title: t('Invitations'), content: () => <OwnInvitations /> })
  return (
    <PageFrame title={title}>
      <TabPage tabs={tabs} />
    </PageFrame>
  )
}

/** The key of the person, or the way to have one. */
function keyWords(row: Row) {
  const words = [row.public_key_comment, row.public_key_hash_md5].filter(Boolean).join(' ')
  if (words || !row.can_public_key_auth) return words
  return (
    <>
      {t('No SSH key yet')} ·{' '}
      <Link className="in-text" to="?activeTab=SSHUpdate">
        {t('Add')}
      </Link>
    </>
  )
}

function ProfileInfo({ row }: { row: Row }) {
  return (
    <div className="detail-grid">
      <ProfileCard row={row} />
      <div className="detail-side">
        <AuthSettingsPanel row={row} />
        <PasskeysPanel />
        <SubscriptionCard />
      </div>
    </div>
  )
}

function ProfileCard({ row }: { row: Row }) {
  return (
    <DetailCard
      definition={{ path: PROFILE_PATH }}
      row={row}
      items={[
        'username',
        'name',
        { field: 'role_display', title: msg('Role') },
        'email',
        'is_active',
        { field: 'public_key', title: msg('SSH key'), render: keyWords },
        { field: 'mfa_level_display', title: msg('MFA') },
        'source',
        'date_joined',
        'last_login',
        'date_password_last_updated',
        'date_expired',
        { field: 'groups_display', title: msg('User groups@@card') },
        'comment',
      ]}
    />
  )
}

const fixed = (name: string, label: string) => ({ name, label, local: { type: 'string' }, disabledWhen: () => true })

const SETTING_GROUPS: readonly FormGroup[] = [
  {
    title: msg('Account'),
    fields: [fixed('username', msg('Username')), fixed('name', msg('Name')), fixed('email', msg('Email'))],
  },
  { title: msg('Other'), fields: ['phone', 'wechat'] },
]

function ProfileUpdate({ row }: { row: Row }) {
  const metadata = useMetadata(PROFILE_PATH)
  const remote = metadata.data?.actions.PATCH
  const initial = useMemo(
    () => ({ username: row.username, name: row.name, email: row.email, phone: row.phone, wechat: row.wechat }),
    [row],
  )
  if (metadata.isError) return <LoadFailed error={metadata.error} onRetry={() => void metadata.refetch()} />
  if (!remote) return <span>{t('Loading')}</span>
  return (
    <LocalForm
      groups={SETTING_GROUPS}
      remote={remote}
      initial={initial}
      row={row}
      save={async ({ phone, wechat }) => {
        await api.patch(PROFILE_PATH, { phone: phone === '' ? null : phone, wechat: wechat ?? '' }, { quiet: true })
        await forget(PROFILE_PATH)
        showSuccess(t('Saved'))
      }}
    />
  )
}

const secret = (name: string, label: string, widget = 'password') => ({
  name,
  label,
  widget,
  local: { type: 'string', required: true, write_only: true, max_length: 128 },
})

const PASSWORD_GROUPS: readonly FormGroup[] = [
  {
    title: '',
    fields: [
      secret('old_password', msg('Current password')),
      secret('new_password', msg('New password'), 'password-rules'),
      {
        ...secret('new_password_again', msg('Confirm password')),
        check: (value, values) => (value && value !== values.new_password ? t('The two passwords differ') : undefined),
        checkedWith: ['new_password'],
      },
    ],
  },
]

function PasswordUpdate({ row }: { row: Row }) {
  return (
    <LocalForm
      groups={PASSWORD_GROUPS}
      row={row}
      save={async (values, leave) => {
        await api.put(`${PROFILE_PATH}password/`, values, { quiet: true })
        showSuccess(t('Password changed'))
        // Every sign-in ends with the old password; the guard of the start page leads to the new
        // one.
        leave('/ui/')
      }}
    />
  )
}

const keyGroups = (hasKey: boolean): readonly FormGroup[] => [
  {
    title: '',
    fields: [
      ...(hasKey
        ? [
            fixed('public_key_comment', msg('Current key comment')),
            fixed('public_key_hash_md5', msg('Current key fingerprint')),
          ]
        : []),
      {
        name: 'public_key',
        label: msg('New SSH public key'),
        widget: 'textarea',
        placeholder: 'ssh-ed25519 AAAA…',
        local: { type: 'string', required: true, max_length: 2048 },
      },
    ],
  },
]

function KeyUpdate({ row }: { row: Row }) {
  const hasKey = Boolean(row.public_key_hash_md5)
  const groups = useMemo(() => keyGroups(hasKey), [hasKey])
  const initial = useMemo(
    () => ({ public_key_comment: row.public_key_comment, public_key_hash_md5: row.public_key_hash_md5 }),
    [row],
  )
  return (
    <LocalForm
      key={String(row.public_key_hash_md5)}
      groups={groups}
      initial={initial}
      row={row}
      save={async ({ public_key }) => {
        await api.put(`${PROFILE_PATH}public-key/`, { public_key }, { quiet: true })
        await forget(PROFILE_PATH)
        showSuccess(t('Saved'))
      }}
    />
  )
}

const SECRET_GROUPS: readonly FormGroup[] = [
  {
    title: '',
    fields: [
      secret('new_secret_key', msg('New file encryption password')),
      {
        ...secret('new_secret_key_again', msg('Confirm password')),
        check: (value, values) =>
          value && value !== values.new_secret_key ? t('The two passwords differ') : undefined,
        checkedWith: ['new_secret_key'],
      },
    ],
  },
]

function SecretKeyUpdate() {
  return (
    <LocalForm
      groups={SECRET_GROUPS}
      save={async (values) => {
        await api.put(`${PROFILE_PATH}secret-key/`, values, { quiet: true })
        showSuccess(t('Saved'))
      }}
    />
  )
}

export const pages = { UserProfile: Profile }
