"""The import of an exported workspace into another instance (specification 12.12).

1. `export_file` reads the records of an export one by one.
2. `id_map` keeps ids that are free here, and finds people by their mail addresses.
3. `rows` converts a record to a row, and `adjustments` changes what a record of another instance must not keep.
4. `survey` reads a whole file before anything is stored, and finds what an import would make.
5. `run` stores the configuration in one transaction and then the records in batches, each with its position.
6. `discarding` removes an import that was not completed.
"""
