import { withQuery } from '../../lib/api.ts'
import { addressOf } from '../../navigation/routes.ts'

/** The list of assets with a node chosen in its tree; undefined for people without that page. */
export function assetsBelow(node: string): string | undefined {
  const list = addressOf('AssetList')
  return list && withQuery(list, { node_id: node })
}
