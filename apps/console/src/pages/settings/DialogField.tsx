import { Button } from 'antd'
import { createContext, useContext } from 'react'
import type { WidgetProps } from '../../generic/define-pages.ts'
import { t } from '../../lib/i18n.ts'
import type { SettingDialog } from './setting-groups.ts'

/** Opens a dialog beside the form that the button stands in; a form inside of a form would send both. */
export const OpenDialog = createContext<(name: SettingDialog) => void>(() => {})

/** A button in the place of a field, for settings that have a dialog of their own. */
export function DialogField({ field, id }: WidgetProps<undefined>) {
  const open = useContext(OpenDialog)
  return (
    <Button id={id} size="small" aria-label={`${t(field.label)}: ${t('Setting')}`} onClick={() => open(field.name as SettingDialog)}>
      {t('Setting')}
    </Button>
  )
}
