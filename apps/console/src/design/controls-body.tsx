import { Checkbox as AntCheckbox, InputNumber as AntInputNumber, Modal as AntModal } from 'antd'

export const Checkbox = AntCheckbox
export const CheckboxGroup = AntCheckbox.Group<string>
export const InputNumber = AntInputNumber<number>
export const Modal = AntModal
