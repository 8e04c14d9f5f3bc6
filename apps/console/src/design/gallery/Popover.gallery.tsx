import { FolderIcon } from 'lucide-react'
import { Button } from '../Button.tsx'
import { Popover } from '../popups/Popover.tsx'

/** Boxes at their buttons, below, beside and before them. */
export default function PopoverGallery() {
  return (
    <p style={{ display: 'flex', justifyContent: 'space-between' }}>
      {(['below', 'beside', 'before'] as const).map((side) => (
        <Popover key={side} title="Files" side={side} button={<Button icon={<FolderIcon />}>{side}</Button>}>
          <p>Escape leads back to the button.</p>
          <Button size="small">Upload files</Button>
        </Popover>
      ))}
    </p>
  )
}
