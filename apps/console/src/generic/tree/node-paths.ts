export const NODES = '/api/v1/assets/nodes/'
export const TREE = `${NODES}children/tree/`
