import { useState } from 'react'
import { Button } from '../Button.tsx'
import { Dialog } from '../dialogs/Dialog.tsx'
import { DialogButtons } from '../dialogs/DialogButtons.tsx'
import { Drawer } from '../dialogs/Drawer.tsx'
import { ask, confirmDanger, openDialog, showAlert, showDialog, showError, showSuccess } from '../dialogs/feedback.tsx'

const LINES = Array.from({ length: 60 }, (_, at) => `Line ${at + 1}`)
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Open = 'read' | 'form' | 'long' | 'wide' | 'pending' | 'failed' | 'nested' | 'drawer'

/** Dialogs and drawers, and those that plain functions ask for. */
export default function DialogGallery() {
  const [open, setOpen] = useState<Open>()
  const [inner, setInner] = useState(false)
  const close = () => setOpen(undefined)
  const button = (name: Open, text: string) => <Button onClick={() => setOpen(name)}>{text}</Button>
  return (
    <>
      <p style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
        {button('read', 'Something to read')}
        {button('form', 'A field')}
        {button('long', 'Long')}
        {button('wide', 'Wider than the screen')}
        {button('pending', 'Waiting')}
        {button('failed', 'Failed')}
        {button('nested', 'Nested')}
        {button('drawer', 'Drawer')}
      </p>
      <p style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
        <Button onClick={() => void ask({ title: 'Move 3 files?', content: 'They go to /srv.', okText: 'Move' })}>
          ask
        </Button>
        <Button
          onClick={() =>
            confirmDanger({
              title: 'Delete web-1?',
              content: 'It fails after a second.',
              okText: 'Delete',
              onOk: async () => {
                await sleep(1000)
                throw new Error('web-1 is in use')
              },
            })
          }
        >
          confirmDanger
        </Button>
        <Button onClick={() => showAlert('This is not granted to you.')}>showAlert</Button>
        <Button onClick={() => showDialog({ title: 'Enterprise edition', content: 'No license is valid here.' })}>
          showDialog
        </Button>
        <Button
          onClick={() => openDialog({ title: 'Own buttons', content: (done) => <Button onClick={done}>Done</Button> })}
        >
          openDialog
        </Button>
        <Button onClick={() => showSuccess('Saved')}>showSuccess</Button>
        <Button onClick={() => showError('The disk is full')}>showError</Button>
      </p>
      {open === 'read' && (
        <Dialog title="Something to read" onClose={close}>
          A press beside it closes it.
        </Dialog>
      )}
      {(open === 'form' || open === 'pending' || open === 'failed') && (
        <Dialog
          title="Rename"
          onClose={close}
          onSubmit={close}
          error={open === 'failed' && 'This name is taken'}
          foot={<DialogButtons okText="Confirm" isPending={open === 'pending'} onCancel={close} />}
        >
          <input aria-label="Name" defaultValue="web-1" />
        </Dialog>
      )}
      {(open === 'long' || open === 'wide') && (
        <Dialog
          title="A title that is so long that it does not fit into one line of a dialog, whatever the screen"
          width={open === 'wide' ? 4000 : 520}
          onClose={close}
          foot={<DialogButtons okText="Delete" isDanger onOk={close} onCancel={close} />}
        >
          {LINES.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </Dialog>
      )}
      {open === 'nested' && (
        <Dialog title="Below" onClose={close} foot={<Button onClick={() => setInner(true)}>Above</Button>}>
          Escape closes the upper one alone.
          {inner && (
            <Dialog title="Above" width={360} onClose={() => setInner(false)}>
              The focus goes back to the button.
            </Dialog>
          )}
        </Dialog>
      )}
      {open === 'drawer' && (
        <Drawer
          title="Messages"
          width={380}
          tools={<Button size="small">Mark all as read</Button>}
          foot={<a href="#all">All messages</a>}
          onClose={close}
        >
          {LINES.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </Drawer>
      )}
    </>
  )
}
