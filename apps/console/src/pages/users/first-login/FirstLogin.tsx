import { useMemo } from 'react'
import { Checkbox } from '../../../design/inputs/Checkbox.tsx'
import { LoadFailed } from '../../../design/LoadFailed.tsx'
import type { FormGroup, WidgetProps } from '../../../generic/view/form-view.ts'
import { useMetadata } from '../../../generic/view/metadata.ts'
import { api, type Row } from '../../../lib/api.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { PageFrame } from '../../../navigation/PageFrame.tsx'
import { session } from '../../../session/session.ts'
import type { PageProps } from '../../page-props.ts'
import { LocalForm } from '../LocalForm.tsx'
import { PROFILE_PATH, useOwnProfile } from '../own-profile.ts'

const GUIDE = '/ui/users/first-login/guide/'
const HOME = '/ui/'

function Agree({ value, onChange, id }: WidgetProps<boolean>) {
  return (
    <Checkbox id={id} checked={value === true} onChange={(isTicked) => onChange?.(isTicked)}>
      {t('I agree')}{' '}
      <a href={session().settings.TERMS_URL} target="_blank" rel="noreferrer">
        {t('Read the terms')}
      </a>
    </Checkbox>
  )
}

const fixed = (name: string, label: string) => ({ name, label, local: { type: 'string' }, disabledWhen: () => true })

const GROUPS: readonly FormGroup[] = [
  {
    title: msg('Account'),
    fields: [fixed('username', msg('Username')), fixed('name', msg('Name')), fixed('email', msg('Email'))],
  },
  {
    title: msg('Authentication'),
    fields: [
      {
        name: 'public_key',
        label: msg('SSH public key'),
        widget: 'textarea',
        placeholder: 'ssh-ed25519 AAAA…',
        visibleWhen: (_values, { row }) => row?.source === 'local' && row.can_public_key_auth === true,
      },
    ],
  },
  { title: msg('Other'), fields: ['phone', 'wechat'] },
]

const TERMS: FormGroup = {
  title: msg('Terms and conditions'),
  fields: [
    {
      name: 'terms',
      label: msg('Terms'),
      local: { type: 'boolean' },
      widget: Agree,
      check: (value) => (value === true ? undefined : t('Please agree to the terms')),
    },
  ],
}

/** Where a person of this installation can read how to work with it; '' where nobody has said. */
const guideAddress = () => {
  const { profile, settings } = session()
  return String(profile.guide_url || settings.HELP_DOCUMENT_URL || '')
}

/** The form of the first sign-in (A2.04 A2.70). */
export function FirstLogin({ title }: PageProps) {
  const profile = useOwnProfile()
  const metadata = useMetadata(PROFILE_PATH)
  const remote = metadata.data?.actions.PATCH
  const failure = profile.error ?? metadata.error
  return (
    <PageFrame title={title} lead={t('Complete your profile to get started.')}>
      {profile.data && remote ? (
        <Wizard row={profile.data} remote={remote} />
      ) : failure ? (
        <LoadFailed error={failure} onRetry={() => void (profile.error ? profile : metadata).refetch()} />
      ) : (
        <span>{t('Loading')}</span>
      )}
    </PageFrame>
  )
}

function Wizard({
  row,
  remote,
}: {
  row: Row
  remote: NonNullable<ReturnType<typeof useMetadata>['data']>['actions']['PATCH']
}) {
  const initial = useMemo(
    () => ({
      username: row.username,
      name: row.name,
      email: row.email,
      phone: row.phone,
      wechat: row.wechat,
    }),
    [row],
  )
  return (
    <LocalForm
      // Nobody agrees to what can't be read.
      groups={session().settings.TERMS_URL ? [...GROUPS, TERMS] : GROUPS}
      remote={remote ?? {}}
      initial={initial}
      row={row}
      save={async ({ public_key, phone, wechat }, leave) => {
        const body = { phone: phone || null, wechat: wechat ?? '', is_first_login: false }
        await api.put(PROFILE_PATH, { ...body, ...(public_key ? { public_key } : {}) }, { quiet: true })
        // The session knows that this is no first sign-in any more only after it is loaded again.
        leave(guideAddress() ? GUIDE : HOME)
      }}
    />
  )
}

/** Where the first sign-in ends (A2.05). */
export function Guide({ title }: PageProps) {
  const { profile } = session()
  const address = guideAddress()
  return (
    <PageFrame title={title}>
      <section className="panel">
        <div className="inside">
          <p>{t('Welcome, {{name}}. Your account is ready.', { name: profile.name })}</p>
          {address && (
            <p>
              <a href={address} target="_blank" rel="noreferrer">
                {t('Read the user guide')}
              </a>
            </p>
          )}
          <p>
            <a href={HOME}>{t('Go to the start page')}</a>
          </p>
        </div>
      </section>
    </PageFrame>
  )
}
