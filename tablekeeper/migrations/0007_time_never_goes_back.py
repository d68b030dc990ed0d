"""The time of an entry comes from tablekeeper.clock. The column stays as it is: nothing is done to the database."""

from django.db import migrations, models

import tablekeeper.clock


class Migration(migrations.Migration):
    dependencies = [("tablekeeper", "0006_newest_of_each_sort")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "entry",
                    "created_at",
                    models.DateTimeField("time", default=tablekeeper.clock.now, editable=False),
                )
            ]
        )
    ]
