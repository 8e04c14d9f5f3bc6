import { createContext, useContext } from 'react'
import { Button } from '../../design/Button.tsx'
import { Status } from '../../design/Status.tsx'
import type { WidgetProps } from '../../generic/view/form-view.ts'
import type { Row } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { SettingDialog } from './setting-dialogs.ts'

/**
 * Opens a dialog beside the form that the button is in; a form inside of a form would send
 * both.
 */
export const OpenDialog = createContext<(name: SettingDialog) => void>(() => {})

/** The settings around the button as they are stored now. */
export const StoredSettings = createContext<Partial<Row>>({})

/** Settings by which what a dialog holds is on. */
const ENABLED_BY: Readonly<Partial<Record<string, string>>> = {
  announcement: 'ANNOUNCEMENT_ENABLED',
  cas: 'AUTH_CAS',
  dingtalk: 'AUTH_DINGTALK',
  feishu: 'AUTH_FEISHU',
  oidc: 'AUTH_OPENID',
  radius: 'AUTH_RADIUS',
  saml2: 'AUTH_SAML2',
  sso: 'AUTH_SSO',
  wecom: 'AUTH_WECOM',
}

/**
 * A button in the place of a field, for settings that have a dialog of their own, and whether they
 * are on (docs/rules/settings.md#setting_auth).
 */
export function DialogField({ field, id }: WidgetProps<undefined>) {
  const open = useContext(OpenDialog)
  const stored = useContext(StoredSettings)
  const enabledBy = ENABLED_BY[field.name]
  const isOn = enabledBy !== undefined && Boolean(stored[enabledBy])
  const words = enabledBy && !isOn ? t('Set up@@setting') : t('Change')
  return (
    <>
      {enabledBy && <Status tone={isOn ? 'good' : 'quiet'}>{isOn ? t('On@@setting') : t('Off@@setting')}</Status>}
      <Button
        id={id}
        size="small"
        aria-label={`${t(field.label)}: ${words}`}
        onClick={() => open(field.name as SettingDialog)}
      >
        {words}
      </Button>
    </>
  )
}
