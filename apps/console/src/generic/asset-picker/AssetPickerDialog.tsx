import { type Asset, asset } from '@sallyport/contract/resources/assets/asset.ts'
import { useState } from 'react'
import { Dialog } from '../../design/dialogs/Dialog.tsx'
import { DialogButtons } from '../../design/dialogs/DialogButtons.tsx'
import { t } from '../../lib/i18n.ts'
import { ResourceTable } from '../list/ResourceTable.tsx'
import { nodeTree } from '../tree/NodeTree.tsx'
import { definePages } from '../view/define-pages.ts'
import type { AssetQuestion } from '../widgets/remote-select/pick-assets.ts'

const Tree = nodeTree({ readOnly: true })

const pages = definePages<Asset>(asset, {
  list: {
    columns: ['hostname', 'ip', { field: 'platform', width: 120 }, 'protocols', 'comment'],
    defaultColumns: ['hostname', 'ip', 'platform', 'protocols'],
    canCreate: false,
    hasActions: false,
  },
})

export interface AssetPickerProps extends Omit<AssetQuestion, 'answer'> {
  onConfirm: (ids: string[]) => void
  onCancel: () => void
}

/**
 * Nodes at the left, their assets at the right, ticks kept over pages and nodes
 * (docs/rules/lists-and-forms.md#asset_select).
 */
export function AssetPickerDialog({ title, chosen, taken = [], onConfirm, onCancel }: AssetPickerProps) {
  const [ids, setIds] = useState<ReadonlySet<string>>(() => new Set(chosen))
  const [fixed] = useState<ReadonlySet<string>>(() => new Set(taken))
  const [node, setNode] = useState('')
  return (
    <Dialog
      title={title}
      width={1200}
      className="asset-picker"
      onClose={onCancel}
      foot={
        <>
          <span className="selected-count" aria-live="polite">
            {t('{{count}} selected', { count: ids.size })}
          </span>
          <DialogButtons okText={t('Confirm')} onCancel={onCancel} onOk={() => onConfirm([...ids])} />
        </>
      }
    >
      <div className="with-tree">
        <aside>
          <Tree
            query={{ node_id: node }}
            setQuery={(change) => setNode(change.node_id ?? '')}
            refreshList={async () => {}}
          />
        </aside>
        <div className="beside-tree">
          <ResourceTable
            key={node}
            pages={pages}
            base="AssetPicker"
            inAddress={false}
            query={node ? { node_id: node, show_current_asset: 0 } : {}}
            selection={{ ids, onChange: setIds, fixed }}
          />
        </div>
      </div>
    </Dialog>
  )
}
