import { t } from '../../lib/i18n.ts'
import { Button } from '../Button.tsx'

interface DialogButtonsProps {
  /** Words of the button that goes on. */
  okText: string
  /** Without it the button submits the form around it. */
  onOk?: () => void
  cancelText?: string
  onCancel: () => void
  /** It works on what was confirmed. */
  isPending?: boolean
  isDisabled?: boolean
  /** It cannot be undone. */
  isDanger?: boolean
  /** The button that has the focus when they appear. */
  focused?: 'ok' | 'cancel'
}

/** The usual foot of a dialog: Cancel, then the button that goes on. */
export function DialogButtons(props: DialogButtonsProps) {
  const { okText, onOk, cancelText = t('Cancel'), onCancel, isPending, isDisabled, isDanger, focused } = props
  return (
    <>
      <Button autoFocus={focused === 'cancel'} onClick={onCancel}>
        {cancelText}
      </Button>
      <Button
        type="primary"
        htmlType={onOk ? 'button' : 'submit'}
        autoFocus={focused === 'ok'}
        {...{ danger: isDanger, loading: isPending, disabled: isDisabled }}
        onClick={onOk}
      >
        {okText}
      </Button>
    </>
  )
}
