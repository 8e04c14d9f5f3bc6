import { Modal as AntModal, type ModalProps } from 'antd'
import { useReturnFocus } from './focus.ts'

/**
 * A dialog that is drawn only while it is open. The component library's own gives the focus back
 * when it has faded out; taken away at once, it would leave the keyboard on nothing.
 */
export function Modal(props: ModalProps) {
  useReturnFocus(props.open === true)
  return <AntModal {...props} />
}
