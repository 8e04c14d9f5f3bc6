import { useState } from 'react'
import { LazyDialog } from '../../../design/dialogs/lazy-dialog.tsx'
import { useDialogClose } from '../../../generic/form/use-dialog-close.ts'
import { t } from '../../../lib/i18n.ts'
import { addressOf } from '../../../navigation/routes.ts'
import { inRootOrg, session } from '../../../session/session.ts'
import { FurtherPanel } from '../further/FurtherPanel.tsx'
import { SettingFormCard } from '../SettingFormCard.tsx'
import { FIRST_DIRECTORY } from './directory-place.ts'
import { LdapButtons } from './LdapButtons.tsx'
import { LdapLogin } from './LdapLogin.tsx'
import { LDAP, LDAP_SYNC } from './ldap-form.ts'
import { LdapUsers } from './ldap-users.ts'

const whereTo = () =>
  inRootOrg()
    ? t('Save the LDAP settings first: the saved ones are used. New people become users of the Default organization.')
    : t('Save the LDAP settings first: the saved ones are used. Imported people become users of {{org}}.', {
        org: session().org?.name ?? 'Default',
      })

type Dialog = 'login' | 'users' | 'sync'
const TITLES: Readonly<Record<Dialog, () => string>> = {
  login: () => t('Test login'),
  users: () => t('LDAP user list'),
  sync: () => t('Sync schedule'),
}
const WIDTHS: Readonly<Record<Dialog, number>> = { login: 480, users: 960, sync: 640 }

/**
 * Settings of the directory, with tests and the import of people. The dialogs are beside the
 * form: a form inside of it would send both.
 */
export function LdapTab() {
  const [dialogs, setDialogs] = useState<readonly Dialog[]>([])
  /** Drawn again after its settings were saved in a dialog. */
  const [round, setRound] = useState(0)
  const open = (name: Dialog) => setDialogs([...dialogs, name])
  const close = (name: Dialog) => setDialogs(dialogs.filter((other) => other !== name))
  const closing = useDialogClose(() => close('sync'))
  return (
    <>
      <SettingFormCard
        key={round}
        form={LDAP}
        extraButtons={<LdapButtons onLogin={() => open('login')} onUsers={() => open('users')} />}
      />
      <FurtherPanel
        title={t('More directories')}
        text={t('Each has its own people, and is asked after the one above.')}
        links={[{ to: addressOf('DirectoryList'), words: t('Open the directories') }]}
      />
      {dialogs.map((name) => (
        <LazyDialog
          key={name}
          title={TITLES[name]()}
          width={WIDTHS[name]}
          onClose={name === 'sync' ? closing.close : () => close(name)}
        >
          {name === 'login' && <LdapLogin place={FIRST_DIRECTORY} />}
          {name === 'users' && <LdapUsers place={FIRST_DIRECTORY} lead={whereTo()} onSchedule={() => open('sync')} />}
          {name === 'sync' && (
            <SettingFormCard
              form={LDAP_SYNC}
              onDirty={closing.setDirty}
              onSaved={() => {
                close('sync')
                setRound(round + 1)
              }}
            />
          )}
        </LazyDialog>
      ))}
    </>
  )
}
