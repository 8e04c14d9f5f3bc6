import { Dialog, type DialogProps } from './Dialog.tsx'

/** A dialog at the end of the screen, as high as that: what is looked at beside the page. */
export function Drawer(props: Omit<DialogProps, 'atSide' | 'asks'>) {
  return <Dialog {...props} atSide />
}
