import { PencilIcon, Trash2Icon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../Button.tsx'
import { type MenuGroup, type MenuItem, useMenu } from '../popups/menu.tsx'

const ITEMS: (MenuItem | MenuGroup)[] = [
  { key: 'rename', label: 'Rename', icon: <PencilIcon /> },
  { key: 'docs', label: 'Documentation', href: '/api/docs/' },
  {
    title: 'View',
    items: [
      { key: 'list', label: 'List' },
      { key: 'tree', label: 'Tree' },
      { key: 'more', label: 'More', items: [{ key: 'by-name', label: 'By name' }] },
    ],
  },
  {
    items: [
      { key: 'move', label: 'Move', disabled: true, title: 'Files can be moved within one machine only.' },
      { key: 'delete', label: 'Delete', icon: <Trash2Icon />, danger: true },
    ],
  },
]

/** A menu at a button, and one at the pointer. */
export default function MenuGallery() {
  const [chosen, setChosen] = useState('list')
  const atButton = useMenu({ items: ITEMS, chosen: [chosen], onChoose: setChosen })
  const atPointer = useMenu({ items: ITEMS, chosen: [chosen], onChoose: setChosen })
  return (
    <>
      <Button {...atButton.trigger}>Actions</Button>
      {atButton.popup}
      <p style={{ padding: 24, border: '1px dashed var(--line-strong)' }} onContextMenu={atPointer.openAtPointer}>
        A right click here opens it at the pointer.
      </p>
      {atPointer.popup}
    </>
  )
}
