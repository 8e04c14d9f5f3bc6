-- Assets are counted as the other large tables are.
DROP TRIGGER count_added ON assets_asset;
DROP TRIGGER count_removed ON assets_asset;
DROP TRIGGER count_truncated ON assets_asset;
DROP FUNCTION assets_count_added();
DROP FUNCTION assets_count_removed();
DROP FUNCTION assets_count_truncated();
DROP TABLE assets_asset_count;
CALL kernel_count_rows('assets_asset');
